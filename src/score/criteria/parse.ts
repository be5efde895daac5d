import { parseExpressionAt } from 'acorn';
import { maxSourceLength } from './budget.ts';
import { CriterionError } from './criterion-error.ts';
import { type LoweredSource, lowerSource } from './lower.ts';
import { refuse } from './lowering.ts';
import { isNestedTooDeeply } from './parse-depth.ts';

const wordHints: Readonly<Record<string, string>> = {
  and: 'join conditions with `&&`',
  or: 'join conditions with `||`',
  not: 'negate with `!`',
  is: 'compare with `===`',
  equals: 'compare with `===`',
  contains: 'use `.includes(…)`',
};

/** Reads the text of a criterion into the closed language, or throws a `CriterionError`. */
export function parseSource(source: string): LoweredSource {
  if (source.length > maxSourceLength) {
    return refuse(source.slice(0, 100), 0, `the criterion is longer than ${maxSourceLength} characters`);
  }
  if (source.trim() === '') return refuse(source, 0, 'the criterion is empty');
  if (isNestedTooDeeply(source)) return refuseDepth(source);
  try {
    const root = parseExpressionAt(source, 0, { ecmaVersion: 2022, sourceType: 'module', preserveParens: true });
    refuseTrailingText(source, root.end);
    return lowerSource(source, root);
  } catch (error) {
    if (error instanceof CriterionError) throw error;
    if (isSyntaxError(error)) return refuseSyntax(source, error);
    if (error instanceof RangeError) return refuseDepth(source);
    throw error;
  }
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
  return refuse(source, error.pos, message);
}

function tokenAt(source: string, offset: number): string {
  return /^(?:\w+|[=!<>&|?]+|.)/su.exec(source.slice(offset))?.[0] ?? '';
}
