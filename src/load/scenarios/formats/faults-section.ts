import { formatPosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import type { Border } from '../../../domain/tool-control/border.ts';
import {
  type Fault,
  type FaultsSection,
  faultVariants,
  listedFaults,
  type PlacedFault,
} from '../../../domain/tool-control/faults.ts';
import type { Variant } from '../../../domain/variant.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { below, type ParsedSource } from '../../sources/parsed-source.ts';

/** The faults of a file whose tools under test are called at the usual border. */
export function placedFaults(written: FaultsSection, usual: Border, source: ParsedSource): PlacedFault[] {
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
  readonly mcp?: { readonly tools?: readonly string[] | undefined; readonly servers?: readonly string[] };
  readonly model?: object;
}

/** Faults of calls that the scenario cannot have. */
export function faultProblems(written: FaultsSection, borders: Borders, source: ParsedSource): Problem[] {
  return listedFaults(written ?? []).flatMap(({ fault, path }) =>
    problemsOf(fault, borders, below(source, ['faults', ...path])),
  );
}

function problemsOf(fault: Fault, borders: Borders, source: ParsedSource): Problem[] {
  const border = fault.border ?? borders.usual;
  const facts: Names | undefined = borders[border];
  if (!facts) {
    const key = fault.border === undefined ? 'fault' : 'border';
    return [{ at: source.locate([key]), message: `this scenario has no calls at the border \`${border}\`` }];
  }
  const { tool, server } = fault;
  return [
    ...unknown([tool ?? []].flat(), facts.tools, (index) => (Array.isArray(tool) ? ['tool', index] : ['tool'])),
    ...unknown(server === undefined ? [] : [server], facts.servers, () => ['server']),
  ].map(({ path, ...words }) => ({ at: source.locate(path), ...words }));
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
