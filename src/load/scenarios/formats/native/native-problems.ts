import type { Problem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { Border } from '../../../../domain/tool-control/fault-kinds.ts';
import type { TargetKind } from '../../../../drive/targets/target.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { blankExpected } from '../../datasets/dataset-rows.ts';
import { type Row, rowSchema } from '../../datasets/dataset-schema.ts';
import type { RawRow } from '../../datasets/raw-row.ts';
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

/** Cases with an empty text to compare the answer with. */
export function blankExpectations(cases: readonly Case[], file: NativeScenario, source: ParsedSource): Problem[] {
  return cases.flatMap((item, index) => {
    const problem = blankExpected(item);
    const isOwn = file.cases?.[index]?.expected !== undefined;
    return problem ? [{ at: source.locate(isOwn ? ['cases', index, 'expected'] : ['expected']), ...problem }] : [];
  });
}

/** Columns that are named like the expected answer. */
const answerColumn =
  /^(?:expected.*|(?:correct|ideal|gold|golden|reference|target)?(?:answer|output)s?|ideal|groundtruth)$/;

/** Refuses columns with the expected answer in rows that are inputs themselves: the tool would be sent its own answer. */
export function sentAnswers({ input }: Row, rowSource: () => ParsedSource): Problem[] {
  if (!isRecord(input)) return [];
  const key = Object.keys(input).find((name) => answerColumn.test(name.toLowerCase().replace(/[^a-z]/g, '')));
  const source = key === undefined ? undefined : rowSource();
  if (key === undefined || !source || (isRecord(source.value) && 'input' in source.value)) return [];
  const message = `\`${key}\` would be sent to the tool as part of its input`;
  const hint = 'Call the column `expected`, or put everything that the tool gets into `input`.';
  return [{ at: source.locateKey([], key), message, hint }];
}

const comparingTypes = new Set(['equals', 'similarity', 'embedding-similarity']);
/** `result === input.capital`: the whole answer against one value of the input. */
const wholeAnswer = /^\s*(?:(?:result|output)\s*={2,3}\s*input\.(\w+)|input\.(\w+)\s*={2,3}\s*(?:result|output))\s*$/;

/** Warns about columns that the answer is compared with and that the tool receives too. */
export function comparedColumns(file: NativeScenario, row: RawRow | undefined): Problem[] {
  if (!row) return [];
  const texts = (file.evaluators ?? []).flatMap(({ type, config }) =>
    comparingTypes.has(type) && isRecord(config) ? [config.text].flat() : [],
  );
  const names = [
    ...texts.map((text) => /^\{\{\s*(?:input\.)?(\w+)\s*\}\}$/.exec(String(text))?.[1]),
    ...file.passCriteria.map((criterion) => wholeAnswer.exec(criterion)).map((found) => found?.[1] ?? found?.[2]),
  ];
  return [...new Set(names)].flatMap((name) => {
    if (name === undefined || name in rowSchema.shape || !Object.hasOwn(row.value, name)) return [];
    const message = `\`${name}\` is sent to the tool as part of its input, and the answer is compared with it`;
    const hint = 'Call the column `expected` if it is the expected answer, and compare with `expected`.';
    return [{ at: row.source().locateKey([], name), message, hint }];
  });
}

/** Where the tool of a scenario is called. */
export function borderOf(kind: TargetKind | undefined): Border {
  return kind === undefined || kind.type === 'mcp-tool' ? 'mcp' : 'call';
}

/** Mocks and faults of calls that the scenario cannot have. */
export function controlProblems(file: NativeScenario, kind: TargetKind, source: ParsedSource): Problem[] {
  const usual = borderOf(kind);
  if (usual === 'mcp') {
    const { server } = isRecord(file.call) ? file.call : {};
    const isMocked = isRecord(server) && server.transport === 'mock';
    return faultProblems(file.faults, { usual, mcp: { hasMocked: isMocked } }, source);
  }
  const mocked = file.tools && {
    at: source.locateKey([], 'tools'),
    message: '`tools` mocks tools of MCP servers, and this scenario calls none',
    hint: 'Remove `tools`, or call a tool with `call.server`.',
  };
  return [...(mocked ? [mocked] : []), ...faultProblems(file.faults, { usual, call: { type: kind.type } }, source)];
}
