import type { Problem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { TargetKind } from '../../../../drive/targets/target.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { faultProblems } from '../faults-section.ts';
import type { NativeScenario } from './native-schema.ts';

/** Cases come from exactly one place. */
export function oneSourceOfCases(file: NativeScenario, source: ParsedSource): Problem[] {
  const given = (['input', 'cases', 'dataset'] as const).filter((key) => file[key] !== undefined);
  if (given.length === 1) return [];
  const at = given[1] ? source.locateKey([], given[1]) : source.locate([]);
  const message =
    given.length === 0
      ? 'one of `input`, `cases` or `dataset` is missing'
      : `\`${given.join('` and `')}\` cannot be used together`;
  return [{ at, message, hint: given.length === 0 ? 'Use `input: {}` for a tool without parameters.' : undefined }];
}

/** Results of cases are identified by name. */
export function duplicateNames(file: NativeScenario, source: ParsedSource): Problem[] {
  const names = new Set<string>();
  return (file.cases ?? []).flatMap(({ name }, index) => {
    if (name === undefined || !names.has(name)) {
      if (name !== undefined) names.add(name);
      return [];
    }
    return [{ at: source.locate(['cases', index, 'name']), message: `duplicate case name "${name}"` }];
  });
}

/** Cases without evaluators, which would always pass. */
export function unjudged(cases: readonly Case[], source: ParsedSource): Problem[] {
  return cases.flatMap((item, index) =>
    item.evaluators.length > 0
      ? []
      : [
          {
            at: source.locate(['cases', index]),
            message: 'this case has no criteria and no evaluators',
            hint: 'Add `passCriteria`, `failCriteria`, `evaluators` or a `judge`.',
          },
        ],
  );
}

/** Mocks and faults of a tool that is not one of an MCP server. */
export function controlWithoutServer(file: NativeScenario, { type }: TargetKind, source: ParsedSource): Problem[] {
  const used = (['tools', 'faults'] as const).filter((key) => file[key] !== undefined);
  if (type !== 'mcp-tool')
    return used.map((key) => ({
      at: source.locateKey([], key),
      message: `\`${key}\` ${controlWords[key]} tools of MCP servers, and this scenario calls none`,
      hint: `Remove \`${key}\`, or call a tool with \`call.server\`.`,
    }));
  return faultProblems(file.faults, { usual: 'mcp', mcp: {} }, source);
}

const controlWords = { tools: 'mocks', faults: 'breaks' };
