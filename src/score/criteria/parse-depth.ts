import { tokenizer, tokTypes } from 'acorn';

/**
 * How deep the parser can be led by any expression that a person would write. It must be found out beforehand: an
 * expression that exhausts the stack of the parser may end the process instead of throwing.
 */
const mostLevels = 150;
const mostOperators = 1_200;

const opening = new Set([
  tokTypes.parenL,
  tokTypes.bracketL,
  tokTypes.braceL,
  tokTypes.dollarBraceL,
  tokTypes.backQuote,
  tokTypes.arrow,
]);
const closing = new Set([tokTypes.parenR, tokTypes.bracketR, tokTypes.braceR]);
/** Tokens that lead no deeper; all others do, for as long as the expression goes on. */
const flat = new Set([
  tokTypes.name,
  tokTypes.num,
  tokTypes.string,
  tokTypes.template,
  tokTypes.regexp,
  tokTypes.dot,
  tokTypes.questionDot,
  tokTypes.comma,
  tokTypes.colon,
  tokTypes._true,
  tokTypes._false,
  tokTypes._null,
]);

/** True when reading the tokens of the expression, which takes no stack, shows that parsing it would take too much. */
export function isNestedTooDeeply(source: string): boolean {
  let level = 0;
  let operators = 0;
  try {
    for (const { type } of tokenizer(source, { ecmaVersion: 2022, sourceType: 'module' })) {
      if (opening.has(type)) level++;
      else if (closing.has(type)) level = Math.max(0, level - 1);
      else if (!flat.has(type)) operators++;
      if (level > mostLevels || operators > mostOperators) return true;
    }
  } catch {
    // What is no token is told by the parser, which knows how to say it.
  }
  return false;
}
