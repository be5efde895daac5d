import { formatPosition } from '../../../domain/errors.ts';
import { type CliToolsSection, listedCliMocks } from '../../../domain/tool-control/cli-mocks.ts';
import type { ToolFault } from '../../../domain/tool-control/faults.ts';
import { listedMocks, type ToolControl, type ToolsSection } from '../../../domain/tool-control/mocks.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';

/** The sections of a file that say what is done to calls. */
interface ControlSections {
  readonly tools?: ToolsSection;
  readonly faults?: readonly ToolFault[] | undefined;
}

/** The rules of a scenario for the calls of its tools; undefined where it leaves them alone. */
export function readToolControl(
  { tools, faults = [] }: ControlSections,
  source: ParsedSource,
): ToolControl | undefined {
  const mocks = Object.entries(tools ?? {}).flatMap(([tool, written]) =>
    listedMocks(written).map(({ mock, path: index }) => {
      const path = ['tools', tool, ...index];
      const place = (...inside: readonly string[]) => formatPosition(source.locate([...path, ...inside]));
      const places = { mock: place(), answer: place('result'), args: place('when', 'args') };
      return { tool, mock, places };
    }),
  );
  const placed = faults.map((fault, index) => ({ fault, place: formatPosition(source.locate(['faults', index])) }));
  return mocks.length + placed.length > 0 ? { mocks, faults: placed } : undefined;
}

/** The rules of a scenario for the calls of its programs; undefined where it leaves them alone. */
export function readCliControl(tools: CliToolsSection, source: ParsedSource): ToolControl | undefined {
  const cliMocks = Object.entries(tools ?? {}).flatMap(([tool, written]) =>
    listedCliMocks(written).map(({ mock, path }) => ({
      tool,
      mock,
      place: formatPosition(source.locate(['tools', tool, ...path])),
    })),
  );
  return cliMocks.length > 0 ? { mocks: [], faults: [], cliMocks } : undefined;
}
