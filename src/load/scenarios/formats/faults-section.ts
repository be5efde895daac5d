import { formatPosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import { type CliToolsSection, listedCliMocks } from '../../../domain/tool-control/cli-mocks.ts';
import type { Border } from '../../../domain/tool-control/fault-kinds.ts';
import {
  type Fault,
  type FaultsSection,
  faultVariants,
  listedFaults,
  type PlacedFault,
} from '../../../domain/tool-control/faults.ts';
import { listedMocks, type ToolControl, type ToolsSection } from '../../../domain/tool-control/mocks.ts';
import type { Variant } from '../../../domain/variant.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { below, type ParsedSource } from '../../sources/parsed-source.ts';

/** The faults of a file whose tools under test are called at the usual border. */
function placedFaults(written: FaultsSection, usual: Border, source: ParsedSource): PlacedFault[] {
  return listedFaults(written ?? []).map(({ fault, path, set }) => ({
    fault,
    border: fault.border ?? usual,
    place: formatPosition(source.locate(['faults', ...path])),
    ...(set !== undefined && { set }),
  }));
}

/** Each variant with each named set of faults, and without faults; the same variants where sets have no names. */
export function withFaultSets(variants: readonly Variant[], faults: FaultsSection): readonly Variant[] {
  const sets = faultVariants(faults);
  if (sets.length === 0) return variants;
  return variants.flatMap((variant) => sets.map((name) => ({ ...variant, faults: name })));
}

/** Where a scenario makes calls: names of tools and servers, where they are known before the run. */
interface Borders {
  readonly usual: Border;
  readonly cli?: { readonly tools: readonly string[] };
  readonly mcp?: {
    readonly tools?: readonly string[] | undefined;
    readonly servers?: readonly string[];
    /** Whether there is no process or session that could be started again. */
    readonly hasMocked?: boolean;
  };
  /** Whether Assay itself sends the requests, and not an agent with its own retries and time limits. */
  readonly model?: { readonly isBare?: boolean };
  /** The type of the target. */
  readonly call?: { readonly type: string };
}

/** Faults of calls that the scenario cannot have. */
export function faultProblems(written: FaultsSection, borders: Borders, source: ParsedSource): Problem[] {
  return listedFaults(written ?? []).flatMap(({ fault, path }) =>
    problemsOf(fault, borders, below(source, ['faults', ...path])),
  );
}

function problemsOf(fault: Fault, borders: Borders, source: ParsedSource): Problem[] {
  const border = fault.border ?? borders.usual;
  const facts = borders[border];
  if (!facts) {
    const key = fault.border === undefined ? 'fault' : 'border';
    return [{ at: source.locate([key]), message: `this scenario has no calls at the border \`${border}\`` }];
  }
  const names: Names = border === 'cli' || border === 'mcp' ? { ...borders[border] } : {};
  const { tool, server } = fault;
  return [
    ...unknown([tool ?? []].flat(), names.tools, (index) => (Array.isArray(tool) ? ['tool', index] : ['tool'])),
    ...unknown(server === undefined ? [] : [server], names.servers, () => ['server']),
    ...unfit(fault, border, borders),
  ].map(({ path, ...words }) => ({ at: source.locate(path), ...words }));
}

/** Where a key belongs at the border `call`. */
const keysOfCalls = { exitCode: 'command', status: 'http' } as const;

/** Faults that the parts of this scenario cannot have. */
function unfit(fault: Fault, border: Border, { mcp, model, call }: Borders) {
  if (border === 'mcp' && fault.fault === 'server-restart' && mcp?.hasMocked)
    return [
      {
        path: ['fault'],
        message: 'a mocked server and tools of a `toolLoop` cannot restart: they have neither a process nor a session',
        hint: 'Use `dropped`, which loses the call, or name another `server`.',
      },
    ];
  if (border === 'model' && fault.fault === 'timeout' && model?.isBare)
    return [
      {
        path: ['fault'],
        message: 'without an agent no caller gives up a request to the model, so the whole trial would time out',
        hint: 'Use `dropped`, after which the request is sent again, or `latency`.',
      },
    ];
  if (border !== 'call') return [];
  return (['exitCode', 'status'] as const).flatMap((key) =>
    fault[key] === undefined || keysOfCalls[key] === call?.type
      ? []
      : [{ path: [key], message: `\`${key}\` cannot be used here`, hint: `Remove \`${key}\`.` }],
  );
}

interface Names {
  readonly tools?: readonly string[] | undefined;
  readonly servers?: readonly string[] | undefined;
}

function unknown(
  names: readonly string[],
  known: readonly string[] | undefined,
  pathOf: (index: number) => (string | number)[],
) {
  if (!known) return [];
  return names.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [
          {
            path: pathOf(index),
            message: `there is no ${pathOf(index)[0]} \`${name}\``,
            hint: didYouMean(name, known) ?? `Known: \`${known.join('`, `')}\`.`,
          },
        ],
  );
}

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
