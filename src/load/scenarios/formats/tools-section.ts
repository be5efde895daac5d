import { formatPosition } from '../../../domain/errors.ts';
import { type CliToolsSection, listedCliMocks } from '../../../domain/tool-control/cli-mocks.ts';
import type { Border } from '../../../domain/tool-control/fault-kinds.ts';
import type { FaultsSection } from '../../../domain/tool-control/faults.ts';
import { listedMocks, type ToolControl, type ToolsSection } from '../../../domain/tool-control/mocks.ts';
import type { ParsedSource } from '../../sources/parsed-source.ts';
import { placedFaults } from './faults-section.ts';

/** The sections of a file that say what is done to calls. */
interface ControlSections {
  readonly tools?: ToolsSection;
  readonly faults?: FaultsSection;
}

/** The rules of a scenario for the calls of its tools; undefined where it leaves them alone. */
export function readToolControl(
  { tools, faults: written }: ControlSections,
  source: ParsedSource,
  usual: Border = 'mcp',
): ToolControl | undefined {
  const mocks = Object.entries(tools ?? {}).flatMap(([tool, written]) =>
    listedMocks(written).map(({ mock, path: index }) => {
      const path = ['tools', tool, ...index];
      const place = (...inside: readonly string[]) => formatPosition(source.locate([...path, ...inside]));
      const places = { mock: place(), answer: place('result'), args: place('when', 'args') };
      return { tool, mock, places };
    }),
  );
  const faults = placedFaults(written, usual, source);
  return mocks.length + faults.length > 0 ? { mocks, faults } : undefined;
}

/** The rules of a scenario for the calls of its programs; undefined where it leaves them alone. */
export function readCliControl(
  { tools, faults: written }: { readonly tools?: CliToolsSection; readonly faults?: FaultsSection },
  source: ParsedSource,
): ToolControl | undefined {
  const cliMocks = Object.entries(tools ?? {}).flatMap(([tool, written]) =>
    listedCliMocks(written).map(({ mock, path }) => ({
      tool,
      mock,
      place: formatPosition(source.locate(['tools', tool, ...path])),
    })),
  );
  const faults = placedFaults(written, 'cli', source);
  return cliMocks.length + faults.length > 0 ? { mocks: [], faults, cliMocks } : undefined;
}
