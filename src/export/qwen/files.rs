//! The folder of a checkpoint, as transformers reads it.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use safetensors::{
    Dtype, View,
    tensor::{Metadata, serialize_to_file},
};
use serde_json::{Map, Value, json};

use super::{
    Checkpoint,
    shape::{Shape, VALUE_HEADS},
    tensor::Tensor,
    tokens::{Section, Token, Trap, Vocabulary},
};

const WEIGHTS: &str = "model.safetensors";
const CONFIG: &str = "config.json";
/// Under which the configuration has the name of the shape.
const SHAPE: &str = "svmllm_shape";
/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;

/// A folder that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file cannot be written or read.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file of the weights is not what it should be.
    #[error("{path}: {text}", path = path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        text: String,
    },
}

fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> FileError {
    let path = path.to_owned();
    |error| FileError::File { path, error }
}

fn content_error(path: &Path, text: impl ToString) -> FileError {
    FileError::Content { path: path.to_owned(), text: text.to_string() }
}

/// A tensor that is filled with its zeros when it is written.
struct Dense<'a>(&'a Tensor);

impl View for Dense<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let mut bytes = Vec::with_capacity(self.data_len());
        let mut row = vec![0.0; self.0.row_len()];
        for index in 0..self.0.rows.len() {
            self.0.fill(index, &mut row);
            bytes.extend(row.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.into()
    }

    fn data_len(&self) -> usize {
        4 * self.0.len()
    }
}

impl Checkpoint {
    /// Writes the folder: weights, configuration, tokenizer and a description.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), FileError> {
        std::fs::create_dir_all(folder).map_err(file_error(folder))?;
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(file_error(&path))
        };
        let vocabulary = Vocabulary::new(&self.shape);
        write(CONFIG, format!("{:#}\n", config(&self.shape, &vocabulary)))?;
        write("generation_config.json", format!("{:#}\n", generation(&vocabulary)))?;
        write("tokenizer.json", tokenizer(&vocabulary).to_string())?;
        let tokenizer = json!({
            "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": Section::Code.text(),
            "eos_token": vocabulary.spell(vocabulary.id(Token::End).unwrap_or(0)),
            "pad_token": vocabulary.spell(padding(&vocabulary)), "clean_up_tokenization_spaces": false,
            "model_max_length": self.shape.context,
        });
        write("tokenizer_config.json", format!("{tokenizer:#}\n"))?;
        write("README.md", super::readme::text(self))?;
        let path = folder.join(WEIGHTS);
        let tensors = self.tensors.iter().map(|(name, tensor)| (name.as_str(), Dense(tensor)));
        let metadata = HashMap::from([("format".to_owned(), "pt".to_owned())]);
        serialize_to_file(tensors, Some(metadata), &path).map_err(|error| content_error(&path, error))
    }

    /// Reads a folder that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// A file cannot be read, the configuration names no shape, or the weights are not 32-bit floats.
    pub fn load(folder: &Path) -> Result<Self, FileError> {
        let path = folder.join(CONFIG);
        let text = std::fs::read_to_string(&path).map_err(file_error(&path))?;
        let config: Value = serde_json::from_str(&text).map_err(|error| content_error(&path, error))?;
        let shape = config[SHAPE].as_str().and_then(Shape::by_name);
        let shape = shape.ok_or_else(|| content_error(&path, format!("no shape of ours under {SHAPE:?}")))?;

        let path = folder.join(WEIGHTS);
        let mut file = BufReader::with_capacity(CHUNK, File::open(&path).map_err(file_error(&path))?);
        let mut length = [0; 8];
        file.read_exact(&mut length).map_err(file_error(&path))?;
        let length = u64::from_le_bytes(length);
        let mut header = Vec::new();
        file.by_ref().take(length).read_to_end(&mut header).map_err(file_error(&path))?;
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|error| content_error(&path, error))?;
        let mut tensors = BTreeMap::new();
        for (name, info) in metadata.tensors() {
            if info.dtype != Dtype::F32 {
                return Err(content_error(&path, format!("{name} is not of 32-bit floats")));
            }
            let at = 8 + length + info.data_offsets.0 as u64;
            file.seek(SeekFrom::Start(at)).map_err(file_error(&path))?;
            tensors.insert(name, sparse(&info.shape, &mut file).map_err(file_error(&path))?);
        }
        Ok(Self { shape, tensors })
    }
}

/// Reads a tensor without its zeros.
fn sparse(shape: &[usize], file: &mut impl Read) -> std::io::Result<Tensor> {
    let mut tensor = Tensor::zeros(shape);
    let mut bytes = vec![0; 4 * tensor.row_len()];
    for row in &mut tensor.rows {
        file.read_exact(&mut bytes)?;
        let values = bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value));
        row.extend((0..).zip(values).filter(|(_, value)| *value != 0.0));
    }
    Ok(tensor)
}

/// A number that means nothing.
fn padding(vocabulary: &Vocabulary) -> u32 {
    vocabulary.used() as u32
}

/// Numbers after which nothing comes.
pub fn stops(vocabulary: &Vocabulary) -> Vec<u32> {
    let traps = Trap::ALL.into_iter().map(Token::Trap);
    std::iter::once(Token::End).chain(traps).filter_map(|token| vocabulary.id(token)).collect()
}

fn config(shape: &Shape, vocabulary: &Vocabulary) -> Value {
    let types: Vec<&str> = (0..shape.layers)
        .map(|layer| if Shape::is_attention(layer) { "full_attention" } else { "linear_attention" })
        .collect();
    let pairs = shape.rotary() / 2;
    let third = pairs / 3;
    let sections = [pairs - 2 * third, third, third];
    json!({
        "architectures": ["Qwen3_5ForCausalLM"],
        "model_type": "qwen3_5_text",
        SHAPE: shape.name,
        "dtype": "float32",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "intermediate_size": shape.hidden_units,
        "num_hidden_layers": shape.layers,
        "layer_types": types,
        "full_attention_interval": 4,
        "num_attention_heads": shape.query_heads,
        "num_key_value_heads": shape.memory_heads,
        "head_dim": shape.head_size,
        "linear_conv_kernel_dim": 4,
        "linear_num_key_heads": shape.key_heads,
        "linear_key_head_dim": shape.key_size,
        "linear_num_value_heads": VALUE_HEADS,
        "linear_value_head_dim": shape.value_size,
        "hidden_act": "silu",
        "attention_bias": false,
        "attention_dropout": 0.0,
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": true,
        "max_position_embeddings": shape.context,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": shape.rope_base(),
            "partial_rotary_factor": 0.25,
            "mrope_section": sections,
            "mrope_interleaved": true,
        },
        "bos_token_id": vocabulary.id(Token::Section(Section::Code)),
        "eos_token_id": stops(vocabulary),
        "pad_token_id": padding(vocabulary),
        "use_cache": true,
    })
}

fn generation(vocabulary: &Vocabulary) -> Value {
    json!({
        "do_sample": false,
        "bos_token_id": vocabulary.id(Token::Section(Section::Code)),
        "eos_token_id": stops(vocabulary),
        "pad_token_id": padding(vocabulary),
    })
}

fn tokenizer(vocabulary: &Vocabulary) -> Value {
    let words: Map<String, Value> =
        (0..vocabulary.len() as u32).map(|id| (vocabulary.spell(id), id.into())).collect();
    let unknown = vocabulary.spell(padding(vocabulary));
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": unknown},
    })
}
