import { pick, seededRandom } from '../../shared/seeded-random.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import type { CallSettings } from './plan-calls.ts';
import { decideCall } from './reason-to-call.ts';

/** Of more tools than this, a sample is called: a check of 10,000 tools ends within half a minute. */
const usualSample = 200;

/** The tools that are called of those that may be: all, or a sample by the seed; tools named with --call always are. */
export function sampledTools(tools: readonly ListedTool[], settings: CallSettings): ReadonlySet<ListedTool> {
  const mostCalled = settings.mostCalledTools ?? usualSample;
  if (tools.length <= mostCalled) return new Set(tools);
  const decided = tools.map((tool) => ({ tool, decision: decideCall(tool, settings) }));
  const isNamed = ({ name }: ListedTool): boolean => settings.call.includes(name);
  const sample = new Set(tools.filter(isNamed));
  const others = decided.flatMap(({ tool, decision }) => ('leftOut' in decision || isNamed(tool) ? [] : [tool]));
  const random = seededRandom(settings.seed);
  while (sample.size < mostCalled && others.length > 0) {
    const chosen = pick(others, random);
    if (chosen === undefined) break;
    sample.add(chosen);
    others.splice(others.indexOf(chosen), 1);
  }
  return sample;
}
