//! The description that goes into the folder of a checkpoint.

use super::Checkpoint;

/// The text of the folder's `README.md`.
pub(super) fn text(checkpoint: &Checkpoint) -> String {
    let shape = &checkpoint.shape;
    let (parameters, nonzero) = checkpoint.parameters();
    let (name, bits, limbs, slots) = (shape.name, shape.limb_bits, shape.limbs(), (1 << shape.pc_bits) - 1);
    let [parameters, nonzero] = [parameters, nonzero].map(|n| format!("{:.1}", n as f64 / 1e6));
    let context = shape.context;
    format!(
        "# A Solana virtual machine as a Qwen3.5 checkpoint (shape `{name}`)

This is not a language model. A program (svmllm) set each weight so that `generate()` of an unmodified
`Qwen3_5ForCausalLM` produces the register trace of an sBPF program (version 0), token by token. Nothing was trained.
Parameters: {parameters} million, of which {nonzero} million are not zero.

## Run it

```python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(\".\")
model = AutoModelForCausalLM.from_pretrained(\".\", dtype=\"float32\")
prompt = tokenizer(open(\"prompt.txt\").read(), return_tensors=\"pt\")
tokens = model.generate(**prompt, max_new_tokens=1000)[0, prompt[\"input_ids\"].shape[1]:]
print(tokenizer.decode(tokens))
```

`svmllm prompt PROGRAM` writes the prompt, `svmllm decode` reads the answer, and `svmllm generate DIR` runs the same
weights without their zeros, several hundred times as fast. Use 32-bit floats; 16-bit ones do not hold the sums.

## Tokens

A frame is `pc:N` and then a value in limbs of {bits} bits, lowest first: `more` limbs and one `last` one. Higher limbs
that are 0 are left out{index}.

The prompt has parts: `<bos>` slots of the program, `<functions>` keys of functions, `<program>`, `<stack>`, `<heap>`
and `<input>` 8-byte cells of memory, `<registers>`, `<limits>`. It ends with `<run>` and the first instruction's `pc`.
The answer has a frame for each instruction: its slot and the value of the register that it writes, if any. A quotient
comes digit by digit first (`quotient3:a`). Calls and returns say the new depth, and a return the registers that get
their values back (`restore:r6`). A store that crosses an 8-byte row takes one more token (`<upper>`). It ends with r0
and `<end>`, or with the fault, such as `trap:access`.

## What it covers

All arithmetic, byte order, jumps, loads and stores, calls and exits of version 0; the meter, call depth, bounds and
every fault. Programs have up to {slots} slots, values {limbs} limbs, a run up to {context} tokens, prompt included.
A slot or a cell of the program's data that the prompt leaves out traps (`trap:unsent`) if it is needed.

Not in the weights: loading and verifying ELF files, system calls, and calls of other programs. The call of a function
that is not in the prompt is `trap:function`.
",
        index = if limbs > 4 { ", and each limb says which it is" } else { "" },
    )
}
