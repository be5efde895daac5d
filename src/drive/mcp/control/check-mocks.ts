import type { PlacedFault } from '../../../domain/tool-control/faults.ts';
import type { PlacedMock } from '../../../domain/tool-control/mocks.ts';
import { nearestName } from '../../../shared/suggest.ts';
import { contradictionOf, type ToolSchemas } from '../../tool-control/check-mock.ts';

/** A tool as its server lists it. */
export interface ListedTool extends ToolSchemas {
  readonly name: string;
}

/** The first fault of a tool that a server does not have, in the same form. */
export function problemOfFaults(faults: readonly PlacedFault[], tools: readonly ListedTool[]): string | undefined {
  const names = tools.map(({ name }) => name);
  for (const { fault, place } of faults) {
    const unknown = [fault.tool ?? []].flat().find((name) => !names.includes(name));
    if (unknown !== undefined) return `has no tool "${unknown}" (broken at ${place}${meantText(unknown, names)})`;
  }
  return undefined;
}

function meantText(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : `; did you mean \`${nearest}\`?`;
}

/** The first mock that contradicts the tools of a server, as the rest of a sentence that begins with its name. */
export function problemOfMocks(mocks: readonly PlacedMock[], tools: readonly ListedTool[]): string | undefined {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const { tool: name, mock, places } of mocks) {
    const tool = byName.get(name);
    if (!tool) {
      const meant = meantText(name, [...byName.keys()]);
      return `has no tool "${name}" (mocked at ${places.mock}${meant})`;
    }
    const problem = contradictionOf(mock, tool);
    if (!problem) continue;
    const place = problem.path[0] === 'when' ? places.args : places.answer;
    return `has a tool "${name}" that a mock contradicts: ${place}: ${problem.message}`;
  }
  return undefined;
}
