import { isNamed } from '../../../../domain/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import type { Evaluate } from '../../evaluator.ts';
import { verdict } from '../said.ts';
import type { ToolArgumentsConfig } from '../tool-arguments.ts';
import { compileCallTest } from './call-test.ts';
import { callsIn, callTexts, lastingFailure } from './shown-calls.ts';

/** How `tool-arguments` looks at the calls. */
export function checkToolArguments(config: ToolArgumentsConfig): Evaluate<'assertion'> {
  const { tool, within } = config;
  const test = compileCallTest(config);
  return (context) => {
    const calls = callsIn(context, within)
      .filter((call) => isNamed(call, tool))
      .map((call) => ({ ...call, difference: test(call, context) }));
    const wrong = calls.filter(({ difference }) => difference !== undefined);
    const total = counted(calls.length, 'call');
    if (wrong.length === 0) {
      return verdict(true, calls.length === 0 ? 'There is no such call' : `The arguments of ${total} are as wanted`);
    }
    const why = callTexts(wrong, ({ difference }) => difference ?? '');
    const reason = `The arguments of ${wrong.length} of ${total} are not as wanted: ${why}`;
    return lastingFailure(reason, within, 1 - wrong.length / calls.length);
  };
}
