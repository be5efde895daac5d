import { type Step, stepsOf } from '../../../report/compare/trajectory/steps.ts';
import { recorded, traceOf } from '../score/fake-trace.ts';

/** Test support: steps of a tool with lines such as `list` (exit code 0) or `create a!2` (exit code 2). */
export function toolSteps(...lines: readonly string[]): Step[] {
  return stepsOf(
    traceOf(
      ...lines.map((text) => {
        const [line = '', code] = text.split('!');
        return recorded(['tm', ...line.split(' ')], Number(code ?? 0));
      }),
    ),
  );
}
