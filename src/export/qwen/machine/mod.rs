//! The machine as columns and hidden units; see [the module above](super) for its protocol.

mod arithmetic;
mod calls;
mod decode;
mod emit;
mod input;
mod memory;
mod multiply;
mod operands;

use super::{net::Net, shape::Shape, tokens::Vocabulary};

/// Describes the machine for a shape.
pub(super) fn describe(shape: &Shape) -> Net {
    let mut net = Net::new(shape.clone());
    let vocabulary = Vocabulary::new(shape);
    let output = input::Output::new(&mut net, &vocabulary);
    let input = input::Input::new(&mut net, &vocabulary, &output);
    let decoded = decode::decode(&mut net, &input);
    let operands = operands::read(&mut net, &input, &decoded);
    let calls = calls::compute(&mut net, &input, &decoded);
    let arithmetic = arithmetic::compute(&mut net, &input, &decoded, &operands);
    let division = multiply::compute(&mut net, &input, &decoded, &operands, &arithmetic);
    let access = memory::compute(&mut net, &input, &decoded, &operands, &arithmetic);
    let known = emit::Known {
        input: &input,
        decoded: &decoded,
        operands: &operands,
        arithmetic: &arithmetic,
        division: &division,
        access: &access,
        calls: &calls,
    };
    emit::emit(&mut net, &known, &output);
    net
}
