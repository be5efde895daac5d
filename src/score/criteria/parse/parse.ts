import { type Expression, parseExpressionAt, tokenizer, tokTypes } from 'acorn';
import { maxSourceLength } from '../budget.ts';
import { Compilation } from '../compile/compilation.ts';
import { compileNode } from '../compile/compile.ts';
import { CriterionError } from '../criterion-error.ts';
import { type RootName, rootNames } from '../scope.ts';
import { isNode } from '../syntax.ts';
import { refuse } from './refusals.ts';

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
function isNestedTooDeeply(source: string): boolean {
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
    // Invalid tokens are reported by the parser, which has the better message.
  }
  return false;
}

const wordHints: Readonly<Record<string, string>> = {
  and: 'join conditions with `&&`',
  or: 'join conditions with `||`',
  not: 'negate with `!`',
  is: 'compare with `===`',
  equals: 'compare with `===`',
  contains: 'use `.includes(…)`',
};

/** A criterion that was read and compiled. */
interface CompiledSource {
  readonly root: Expression;
  readonly compilation: Compilation;
}

/** Reads and compiles the text of a criterion, or throws a `CriterionError`. */
export function compileSource(source: string, roots: readonly RootName[] = rootNames): CompiledSource {
  if (source.length > maxSourceLength) {
    return refuse(source.slice(0, 100), 0, `the criterion is longer than ${maxSourceLength} characters`);
  }
  if (source.trim() === '') return refuse(source, 0, 'the criterion is empty');
  if (isNestedTooDeeply(source)) return refuseDepth(source);
  try {
    const written = parseExpressionAt(source, 0, { ecmaVersion: 2022, sourceType: 'module', preserveParens: true });
    refuseTrailingText(source, written.end);
    const root = withoutParentheses(written) as Expression;
    const compilation = new Compilation(source, roots, compileNode);
    compilation.compile(root);
    return { root, compilation };
  } catch (error) {
    if (error instanceof CriterionError) throw error;
    if (isSyntaxError(error)) return refuseSyntax(source, error);
    if (error instanceof RangeError) return refuseDepth(source);
    throw error;
  }
}

/** Parentheses are only needed to find the end of the expression. */
function withoutParentheses(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutParentheses);
  if (!isNode(part)) return part;
  const node = part as Expression;
  if (node.type === 'ParenthesizedExpression') return withoutParentheses(node.expression);
  // Only methods that are named beside their call can be called.
  const isInParentheses = node.type === 'CallExpression' && node.callee.type === 'ParenthesizedExpression';
  for (const [key, inner] of Object.entries(node))
    if (key !== 'callee' || !isInParentheses) Object.assign(node, { [key]: withoutParentheses(inner) });
  return node;
}

function refuseTrailingText(source: string, end: number): void {
  const trailing = source.slice(end).trimStart();
  if (trailing === '') return;
  const offset = source.length - trailing.length;
  const word = /^\w+|^./su.exec(trailing)?.[0] ?? '';
  const hint = Object.hasOwn(wordHints, word.toLowerCase()) ? wordHints[word.toLowerCase()] : undefined;
  refuse(source, offset, `unexpected \`${word}\` after the end of the expression`, hint);
}

function refuseDepth(source: string): never {
  return refuse(source, 0, 'the expression is nested too deeply');
}

function isSyntaxError(error: unknown): error is SyntaxError & { pos: number } {
  return error instanceof SyntaxError && 'pos' in error && typeof error.pos === 'number';
}

function refuseSyntax(source: string, error: SyntaxError & { pos: number }): never {
  const reason = error.message.replace(/ \(\d+:\d+\)$/, '');
  if (reason.includes('stack space')) return refuseDepth(source);
  if (error.pos >= source.length) return refuse(source, source.length, 'the criterion ends too early');
  const message = reason === 'Unexpected token' ? `unexpected \`${tokenAt(source, error.pos)}\`` : reason;
  return refuse(source, error.pos, message, syntaxHint(source, error.pos, reason));
}

function syntaxHint(source: string, at: number, reason: string): string | undefined {
  if (/[\u2018-\u201f]/.test(source.charAt(at))) return 'use straight quotes';
  if (reason.startsWith('Unterminated string')) return 'close the quote';
  const [, name] = /\{\{\s*([\w.]+)\s*\}\}/.exec(source) ?? [];
  if (name === undefined) return undefined;
  const place = name === 'expected' || name.startsWith('input.') ? name : `input.${name}`;
  return `write \`${place}\`: a criterion is code, without braces`;
}

function tokenAt(source: string, offset: number): string {
  return /^(?:\w+|[=!<>&|?]+|.)/su.exec(source.slice(offset))?.[0] ?? '';
}
