import { compileCriterion, compileExpression } from '../../score/criteria/criterion.ts';
import type { CriteriaScope } from '../../score/criteria/scope.ts';

const scope: CriteriaScope = {
  result: {
    yes: true,
    no: false,
    nothing: null,
    count: 3,
    ratio: 0.25,
    text: 'Row 12 failed, see a.b for more  ',
    name: 'Ångström no. 7',
    numbers: [5, -2, 0, 11, 2.5],
    words: ['row', '12', '', 'Zebra'],
    items: [
      { row: 0, old: 'Medium', tags: ['a'] },
      { row: 3, old: 'High', tags: [] },
    ],
  },
  input: { dryRun: true },
};

/** Writes values with everything that JSON would lose or merge kept distinct; a throw has its own value. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`)
      .join()}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : Object.is(value, -0) ? '-0' : String(value);
}

/** The answer of JavaScript; tests make the function of the text, because nothing else runs a text as code. */
export function answerOfJavaScript(evaluate: (...values: readonly unknown[]) => unknown): string {
  try {
    return canonical(evaluate(scope.result, scope.error, scope.input, scope.expected));
  } catch {
    return 'no value';
  }
}

/** The answer of the criteria language. */
export function answerOfCriteria(text: string): string {
  const value = compileExpression(text).evaluate(scope);
  if (value !== undefined) return canonical(value);
  return compileCriterion(`(${text}) === undefined`).test(scope) ? 'undefined' : 'no value';
}
