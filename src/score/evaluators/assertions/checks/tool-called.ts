import { isNamed } from '../../../../domain/tool-names.ts';
import { counted } from '../../../../shared/format.ts';
import type { Evaluate } from '../../evaluator.ts';
import { verdict } from '../said.ts';
import type { ToolCalledConfig } from '../tool-called.ts';
import { compileCallTest } from './call-test.ts';
import { calledNames, callsIn, callTexts, lastingFailure } from './shown-calls.ts';

/** How `tool-called` looks at the calls. */
export function checkToolCalled(config: ToolCalledConfig): Evaluate<'assertion'> {
  const { tool, times, within } = config;
  const test = compileCallTest(config);
  const { min, max = Number.POSITIVE_INFINITY } = typeof times === 'number' ? { min: times, max: times } : times;
  const isAsWanted = config.args || config.noOtherArgs || config.criteria.length > 0 ? ' as wanted' : '';
  return (context) => {
    const calls = callsIn(context, within);
    const named = calls
      .filter((call) => isNamed(call, tool))
      .map((call) => ({ ...call, difference: test(call, context) }));
    const fitting = named.filter(({ difference }) => difference === undefined);
    const others = named.filter(({ difference }) => difference !== undefined);
    const found = `${tool} was called ${counted(fitting.length, 'time')}${isAsWanted}`;
    if (fitting.length > max) {
      return lastingFailure(`${found}, wanted at most ${max}: ${callTexts(fitting)}`, within);
    }
    if (fitting.length >= min) {
      return verdict(true, fitting.length === 0 ? found : `${found}: ${callTexts(fitting)}`);
    }
    if (named.length === 0) return verdict(false, `${tool} was not called; ${calledNames(calls)}`);
    const why = callTexts(others, ({ difference }) => difference ?? '');
    return verdict(false, `${found}, wanted at least ${min}${why === '' ? '' : `; ${why}`}`);
  };
}
