//! A static graph of matrix operations, built node by node.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use super::proto::Message;
use crate::tables::Array;

/// The version of ONNX's operators.
const OPSET: i64 = 17;
/// The version of ONNX's file format.
const IR_VERSION: i64 = 8;

/// The name of a tensor in the graph. All have two dimensions.
pub type Name = Rc<str>;

/// A matrix operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// a bᵀ + c, c a vector.
    Gemm,
    /// a b.
    MatMul,
    /// a + b, element by element.
    Add,
    /// a - b, element by element.
    Sub,
    /// a b, element by element, b of one row and one column.
    Mul,
    /// The larger of a and 0.
    Relu,
    /// One below the other (axis 0) or side by side (1).
    Concat(usize),
    /// Rows (axis 0) or columns (1) `start..end`.
    Slice {
        /// Which.
        axis: usize,
        /// First.
        start: usize,
        /// After the last.
        end: usize,
    },
    /// These rows.
    Gather(Vec<usize>),
    /// The same entries in another shape.
    Reshape([usize; 2]),
    /// aᵀ.
    Transpose,
}

/// An operation on tensors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What is done.
    pub operation: Operation,
    /// To what.
    pub inputs: Vec<Name>,
}

/// A graph on its way.
#[derive(Default)]
pub struct Graph {
    nodes: RefCell<Vec<(Name, Node)>>,
    known: RefCell<HashMap<Node, Name>>,
    constants: RefCell<BTreeMap<Name, Array>>,
    inputs: RefCell<Vec<(Name, [usize; 2])>>,
}

/// A graph with its outputs, and nothing in it that they do not need.
pub struct Finished {
    /// Operations in an order in which they can run, each with the name of its output.
    pub nodes: Vec<(Name, Node)>,
    /// Constant tensors by name.
    pub constants: BTreeMap<Name, Array>,
    /// Names and shapes of the inputs.
    pub inputs: Vec<(Name, [usize; 2])>,
    /// Name and shape of each output, and the tensor that is given under it.
    pub outputs: Vec<(&'static str, [usize; 2], Name)>,
}

impl Graph {
    /// An input of the graph.
    pub fn input(&self, name: &str, shape: [usize; 2]) -> Name {
        let name = Name::from(name);
        self.inputs.borrow_mut().push((name.clone(), shape));
        name
    }

    /// A constant, made when its name is first used.
    pub fn constant(&self, name: &str, make: impl FnOnce() -> Array) -> Name {
        let name = Name::from(name);
        self.constants.borrow_mut().entry(name.clone()).or_insert_with(make);
        name
    }

    /// The output of an operation; of the same one on the same tensors only once.
    pub fn node(&self, operation: Operation, inputs: &[&Name]) -> Name {
        let node = Node { operation, inputs: inputs.iter().map(|name| (*name).clone()).collect() };
        if let Some(name) = self.known.borrow().get(&node) {
            return name.clone();
        }
        let mut nodes = self.nodes.borrow_mut();
        let name = Name::from(format!("t{}", nodes.len()));
        nodes.push((name.clone(), node.clone()));
        self.known.borrow_mut().insert(node, name.clone());
        name
    }

    /// Ends the graph.
    pub fn finish(self, outputs: Vec<(&'static str, [usize; 2], Name)>) -> Finished {
        let mut needed: std::collections::HashSet<Name> =
            outputs.iter().map(|(_, _, name)| name.clone()).collect();
        let mut nodes = Vec::new();
        for (name, node) in self.nodes.into_inner().into_iter().rev() {
            if needed.contains(&name) {
                needed.extend(node.inputs.iter().cloned());
                nodes.push((name, node));
            }
        }
        nodes.reverse();
        let mut constants = self.constants.into_inner();
        constants.retain(|name, _| needed.contains(name));
        Finished { nodes, constants, inputs: self.inputs.into_inner(), outputs }
    }
}

impl Finished {
    /// The graph as the bytes of an ONNX file.
    pub fn to_bytes(&self, about: &str) -> Vec<u8> {
        let mut numbers = BTreeMap::new();
        let mut nodes: Vec<Message> =
            self.nodes.iter().map(|(name, node)| node_message(name, node, &mut numbers)).collect();
        let copies = self.outputs.iter();
        nodes.extend(
            copies.map(|(output, _, name)| {
                Message::default().text(1, name).text(2, output).text(4, "Identity")
            }),
        );
        let tensors = self.constants.iter().map(|(name, array)| {
            let data: Vec<u8> = array.data.iter().flat_map(|entry| entry.to_le_bytes()).collect();
            tensor(name, &array.shape, FLOAT, &data)
        });
        let lists = numbers.iter().map(|(name, list): (&String, &Vec<i64>)| {
            let data: Vec<u8> = list.iter().flat_map(|entry| entry.to_le_bytes()).collect();
            tensor(name, &[list.len()], INT64, &data)
        });
        let graph = Message::default()
            .messages(1, nodes)
            .text(2, "step")
            .messages(5, tensors)
            .messages(5, lists)
            .messages(11, self.inputs.iter().map(|(name, shape)| value(name, shape)))
            .messages(12, self.outputs.iter().map(|(name, shape, _)| value(name, shape)));
        Message::default()
            .number(1, IR_VERSION)
            .text(2, "svmllm")
            .text(3, env!("CARGO_PKG_VERSION"))
            .text(6, about)
            .message(7, graph)
            .message(8, Message::default().text(1, "").number(2, OPSET))
            .finish()
    }
}

/// ONNX's numbers for types of entries.
const FLOAT: i64 = 1;
const INT64: i64 = 7;
/// ONNX's number for an attribute that is one integer.
const INT: i64 = 2;

fn tensor(name: &str, shape: &[usize], kind: i64, data: &[u8]) -> Message {
    let dims = shape.iter().fold(Message::default(), |message, length| message.number(1, *length as i64));
    dims.number(2, kind).text(8, name).bytes(9, data)
}

/// An input or output of the graph.
fn value(name: &str, shape: &[usize; 2]) -> Message {
    let dims = shape.map(|length| Message::default().number(1, length as i64));
    let tensor = Message::default().number(1, FLOAT).message(2, Message::default().messages(1, dims));
    Message::default().text(1, name).message(2, Message::default().message(1, tensor))
}

fn attribute(name: &str, value: usize) -> Message {
    Message::default().text(1, name).number(3, value as i64).number(20, INT)
}

/// A node; lists of numbers it needs are inputs too, and go into `numbers`.
fn node_message(output: &str, node: &Node, numbers: &mut BTreeMap<String, Vec<i64>>) -> Message {
    let mut list = |entries: &[usize]| {
        let entries: Vec<i64> = entries.iter().map(|entry| *entry as i64).collect();
        let text: Vec<String> = entries.iter().map(ToString::to_string).collect();
        let name = format!("list.{}", text.join("."));
        numbers.insert(name.clone(), entries);
        name
    };
    let (kind, lists, attributes) = match &node.operation {
        Operation::Gemm => ("Gemm", vec![], vec![attribute("transB", 1)]),
        Operation::MatMul => ("MatMul", vec![], vec![]),
        Operation::Add => ("Add", vec![], vec![]),
        Operation::Sub => ("Sub", vec![], vec![]),
        Operation::Mul => ("Mul", vec![], vec![]),
        Operation::Relu => ("Relu", vec![], vec![]),
        Operation::Concat(axis) => ("Concat", vec![], vec![attribute("axis", *axis)]),
        Operation::Slice { axis, start, end } => {
            ("Slice", vec![list(&[*start]), list(&[*end]), list(&[*axis])], vec![])
        }
        Operation::Gather(rows) => ("Gather", vec![list(rows)], vec![attribute("axis", 0)]),
        Operation::Reshape(shape) => ("Reshape", vec![list(shape)], vec![]),
        Operation::Transpose => ("Transpose", vec![], vec![]),
    };
    let inputs = node.inputs.iter().map(|name| &**name).chain(lists.iter().map(String::as_str));
    inputs
        .fold(Message::default(), |message, name| message.text(1, name))
        .text(2, output)
        .text(4, kind)
        .messages(5, attributes)
}
