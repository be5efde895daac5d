import { isNamed } from '../../../../domain/tool-names.ts';
import { compareOrder } from '../../../../domain/tool-order.ts';
import type { Evaluate } from '../../evaluator.ts';
import type { ToolOrderConfig } from '../tool-order.ts';
import { calledNames, callsIn, lastingFailure } from './shown-calls.ts';

/** How `tool-order` looks at the calls. */
export function checkToolOrder({ tools, order, ignore, within }: ToolOrderConfig): Evaluate<'assertion'> {
  const wanted = `${tools.join(', ')} (${order})`;
  return (context) => {
    const calls = callsIn(context, within).filter((call) => !ignore.some((name) => isNamed(call, name)));
    const { matchCount, isMet, isBroken } = compareOrder({ calls, expected: tools, order, isCallOf: isNamed });
    if (isMet) return { state: 'pass', reason: `The calls are as wanted: ${wanted}`, value: 1 };
    const found = `${matchCount} of ${tools.length} in place`;
    const reason = `The calls are not as wanted: ${wanted}; ${found}; ${calledNames(calls)}`;
    const value = matchCount / (order === 'exact' ? Math.max(tools.length, calls.length) : tools.length);
    return isBroken ? lastingFailure(reason, within, value) : { state: 'fail', reason, value };
  };
}
