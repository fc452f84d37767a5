"""Checks a checkpoint of svmllm with unmodified transformers.

    svmllm export-qwen --shape ci FOLDER
    svmllm-xcheck qwen-examples EXAMPLES
    python xcheck/qwen/check.py FOLDER EXAMPLES [--threads N] [--batch N] [--no-generate] [--out FILE]

Each example has a prompt and the answer that follows from solana-sbpf's register trace. One forward pass over both
shows for every token of the answer whether the model would have put it; examples that say so are also generated token
by token. Exits with 1 if a token differs. `svmllm-xcheck results transformers` does all three steps.
"""

import argparse
import json
import sys
import time

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer


def length(example):
    return len(example["prompt"]) + len(example["draft"])


def batches(examples, size):
    """Examples of about equal lengths, at most `size`, and of about 128 tokens each: what a layer makes of them fits into a cache."""
    batch = []
    for example in sorted(examples, key=length):
        if batch and (len(batch) == size or (len(batch) + 1) * length(example) > 128 * size):
            yield batch
            batch = []
        batch.append(example)
    yield batch


def check_all(model, tokenizer, examples, size):
    """One pass over prompt and answer."""
    done = 0
    answers = tokens = wrong = 0
    mismatches = []
    start = shown = time.time()
    for batch in batches(examples, size):
        rows = [example["prompt"] + example["draft"] for example in batch]
        longest = max(map(len, rows))
        # What follows an answer cannot change it, so rows are filled up at their ends.
        padded = [row + [model.config.pad_token_id] * (longest - len(row)) for row in rows]
        hidden = model.model(torch.tensor(padded), use_cache=False).last_hidden_state
        for states, example in zip(hidden, batch):
            before = len(example["prompt"]) - 1
            best, got = model.lm_head(states[before : before + len(example["draft"])]).max(-1)
            best, got = best.tolist(), got.tolist()
            # Where activations are integers, logits are multiples of 16.
            bad = [at for at, (x, y, z) in enumerate(zip(got, example["draft"], best)) if x != y or z % 16]
            answers += len(got)
            wrong += len(bad)
            for at in bad[:1]:
                texts = [tokenizer.decode([token]) for token in (got[at], example["draft"][at])]
                mismatches.append(
                    f"{example['name']}: token {at} is {texts[0]} with the logit {best[at]}, not {texts[1]}; "
                    f"{len(bad)} of {len(got)} differ"
                )
                print(mismatches[-1])
        tokens += sum(map(len, rows))
        done += len(batch)
        if time.time() > shown + 10:
            shown = time.time()
            print(f"{done} of {len(examples)} programs, {tokens / (shown - start):.0f} tokens a second")
            sys.stdout.flush()
    seconds = time.time() - start
    print(
        f"one pass: {len(examples)} programs, {answers} tokens of answers, {wrong} differ; "
        f"{tokens} tokens in {seconds:.0f} s, {tokens / seconds:.0f} a second",
        flush=True,
    )
    figures = {
        "programs": len(examples),
        "tokens": answers,
        "tokens_that_differ": wrong,
        "seconds": round(seconds, 1),
        "tokens_a_second_with_prompts": round(tokens / seconds, 1),
    }
    return figures, mismatches


def generate(model, tokenizer, example):
    """Token by token."""
    prompt = torch.tensor([example["prompt"]])
    start = time.time()
    answer = model.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=len(example["draft"]) + 8, do_sample=False
    )[0, prompt.shape[1] :].tolist()
    seconds = time.time() - start
    same = answer == example["draft"]
    print(
        f"generate: {example['name']}, {prompt.shape[1]} tokens of prompt, {len(answer)} of answer, "
        f"{'all equal' if same else 'NOT EQUAL'}, {len(answer) / seconds:.1f} a second; "
        f"ends with {tokenizer.decode(answer[-3:])}",
        flush=True,
    )
    return {
        "name": example["name"],
        "instructions": example["instructions"],
        "prompt_tokens": prompt.shape[1],
        "tokens": len(answer),
        "all_equal": same,
        "seconds": round(seconds, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("examples")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--no-generate", action="store_true")
    parser.add_argument("--out", help="a file for the figures, as JSON")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.set_grad_enabled(False)
    model = AutoModelForCausalLM.from_pretrained(options.folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(options.folder)
    with open(options.examples) as file:
        examples = [json.loads(line) for line in file]
    generated = []
    if not options.no_generate:
        generated = [generate(model, tokenizer, example) for example in examples if example["generate"]]
    one_pass, mismatches = check_all(model, tokenizer, examples, options.batch)
    mismatches += [f"{figures['name']}: not equal by generate()" for figures in generated if not figures["all_equal"]]
    if options.out:
        figures = {
            "versions": {"transformers": transformers.__version__, "torch": torch.__version__},
            "examples": len(examples) + len(generated),
            "equal": len(examples) + len(generated) - len(mismatches),
            "mismatches": mismatches,
            "figures": {"generate": generated, "one_pass": one_pass},
        }
        with open(options.out, "w") as file:
            json.dump(figures, file, indent=2)
            file.write("\n")
    sys.exit(1 if mismatches else 0)


if __name__ == "__main__":
    main()
