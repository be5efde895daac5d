import { parse } from 'acorn';
import { isRecord } from '../../../../shared/json.ts';

const longestCode = 50_000;

/** Why a text cannot be run as a program; undefined for one that can. */
export function programProblem(code: string): string | undefined {
  if (code.length > longestCode) return `the program has more than ${longestCode} characters`;
  try {
    // Parsed as the body of a function, which it must not end.
    const tree: unknown = parse(`(async () => {'use strict';${code}\n})`, {
      ecmaVersion: 'latest',
      sourceType: 'script',
    });
    const only = isRecord(tree) && Array.isArray(tree.body) ? tree.body : [];
    if (only.length !== 1) return 'the program ends its own function';
    return hasImport(tree) ? '`import` is not available' : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `SyntaxError: ${error.message}`;
  }
}

/** The only expression that reaches outside of the realm without a name. */
function hasImport(root: unknown): boolean {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isRecord(node) && (node.type === 'ImportExpression' || node.type === 'MetaProperty')) return true;
    left.push(...Object.values(node));
  }
  return false;
}
