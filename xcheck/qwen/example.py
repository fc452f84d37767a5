"""A Solana program run by a language model's code: an example with nothing but transformers.

    svmllm export-qwen --shape ci FOLDER
    svmllm prompt --shape ci programs/fib/fib.s --input 0a00000000000000 > prompt.txt
    python xcheck/qwen/example.py FOLDER prompt.txt
"""

import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

folder, prompt = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
inputs = tokenizer(open(prompt).read(), return_tensors="pt", return_token_type_ids=False)
length = inputs["input_ids"].shape[1]
answer = model.generate(**inputs, max_new_tokens=2000, do_sample=False)[0, length:]

frame = []
for word in tokenizer.decode(answer).split() + ["pc:"]:
    if word.startswith("pc:"):
        print(" ".join(frame))
        frame = []
    frame.append(word)
