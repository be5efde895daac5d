import { isNamed, requireKnownTool } from '../../../../domain/tool-names.ts';
import type { Evaluate } from '../../evaluator.ts';
import { verdict } from '../said.ts';
import type { ToolNotCalledConfig } from '../tool-not-called.ts';
import { compileCallTest } from './call-test.ts';
import { callsIn, callTexts, lastingFailure } from './shown-calls.ts';

/** How `tool-not-called` looks at the calls. */
export function checkToolNotCalled(config: ToolNotCalledConfig): Evaluate<'assertion'> {
  const { tool, within } = config;
  const test = compileCallTest(config);
  const isInThatWay = config.args || config.criteria.length > 0 ? ' in that way' : '';
  return (context) => {
    requireKnownTool(context.trace, tool);
    const unwanted = callsIn(context, within).filter(
      (call) => isNamed(call, tool) && test(call, context) === undefined,
    );
    if (unwanted.length === 0) return verdict(true, `${tool} was not called${isInThatWay}`);
    return lastingFailure(`${tool} was called${isInThatWay}: ${callTexts(unwanted)}`, within);
  };
}
