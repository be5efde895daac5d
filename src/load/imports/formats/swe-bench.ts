import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { counted } from '../../../shared/format.ts';
import { isRecord } from '../../../shared/json.ts';
import { firstLine } from '../../../shared/text.ts';
import { type JsonObject, knownParts, nameOf, parseJson } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import { someObject } from '../sample.ts';
import type { RecordedVerdict } from '../score-verdict.ts';
import { TraceCollector } from '../trace-collector.ts';

/** Predictions for SWE-bench; their verdicts are in the report that lies beside them. */
export const sweBenchPredictions: ImportFormat = {
  name: 'swe-bench-predictions',
  summary: 'predictions for SWE-bench, with the report beside them',
  reports: [],
  recognises: (sample) => someObject(sample, (object) => predictionsIn(object).length > 0),
  lacks: (sample) =>
    someObject(sample, ({ instance_id }) => instance_id !== undefined)
      ? '`model_patch` beside `instance_id`'
      : undefined,
  async *read(source) {
    const reports = await reportsBeside(source.path);
    const read = new Set<string>();
    let withoutVerdict = 0;
    for await (const { value, line } of source.records()) {
      const predictions = isRecord(value) ? predictionsIn(value) : [];
      if (predictions.length === 0) source.problem(line, 'not a prediction: `instance_id` or `model_patch` is missing');
      for (const prediction of predictions) {
        const trial = trialOf(prediction, reports, line);
        if (!trial.verdict) withoutVerdict++;
        read.add(trial.scenario ?? '');
        yield trial;
      }
    }
    for (const report of reports) {
      const submitted = idsIn(report, 'submitted_ids');
      const missing = submitted.filter((id) => !read.has(id));
      if (missing.length > 0 && missing.length < submitted.length)
        source.problem(1, `the report beside the file has ${counted(missing.length, 'prediction')} that it has not`);
    }
    if (withoutVerdict > 0) {
      source.warning(
        1,
        `${counted(withoutVerdict, 'prediction')} without a verdict: no report beside the file names them`,
      );
    }
  },
};

/** Reports of SWE-bench without their predictions: the verdicts by instance. */
export const sweBenchReport: ImportFormat = {
  name: 'swe-bench-report',
  summary: 'reports of SWE-bench (resolved_ids, unresolved_ids, error_ids)',
  reports: [],
  recognises: (sample) => someObject(sample, isReport),
  lacks: (sample) =>
    someObject(sample, (object) => 'resolved_ids' in object || 'resolved_instances' in object)
      ? '`resolved_ids` and `submitted_ids`'
      : undefined,
  readWith: predictionsAmong,
  async *read(source) {
    for await (const { value, line } of source.records()) {
      if (!isRecord(value) || !isReport(value)) {
        source.problem(line, 'not a report: `resolved_ids` or `submitted_ids` is missing');
        continue;
      }
      for (const [key] of [['submitted_ids'], ...lists] as const) {
        const listed = Array.isArray(value[key]) ? value[key].length : 0;
        source.expectCount(`entry of \`${key}\``, [value[key.replace('_ids', '_instances')]], listed);
      }
      const [, model] = /^(.+?)\.[^.]+\.json$/.exec(source.file.split(/[\\/]/).at(-1) ?? '') ?? [];
      for (const id of idsIn(value, 'submitted_ids')) {
        const prediction = { instance_id: id, ...(model !== undefined && { model_name_or_path: model }) };
        yield trialOf(prediction, [value], line);
      }
    }
  },
};

/** A prediction, or several by their instances. */
function predictionsIn(object: JsonObject): JsonObject[] {
  const isPrediction = (value: unknown): value is JsonObject =>
    isRecord(value) && typeof value.instance_id === 'string' && 'model_patch' in value;
  return isPrediction(object) ? [object] : Object.values(object).filter(isPrediction);
}

function isReport(object: JsonObject): boolean {
  return Array.isArray(object.resolved_ids) && Array.isArray(object.submitted_ids);
}

function idsIn(report: JsonObject, key: string): string[] {
  const ids = report[key];
  return Array.isArray(ids) ? ids.flatMap((id) => nameOf(id) ?? []) : [];
}

function trialOf(prediction: JsonObject, reports: readonly JsonObject[], line: number): ImportedTrial {
  const id = nameOf(prediction.instance_id) ?? '';
  const collector = new TraceCollector();
  const patch = nameOf(prediction.model_patch);
  if (patch !== undefined) collector.emit({ type: 'other', kind: 'patch', data: patch });
  const model = nameOf(prediction.model_name_or_path);
  return {
    line,
    id: `${model ?? ''} ${id}`,
    scenario: id,
    caseId: 'task',
    variant: knownParts({ model }),
    trace: collector.finish(),
    verdict: verdictOf(id, reports),
  };
}

/** An instance whose evaluation broke could not be judged; an empty patch resolves nothing. */
function verdictOf(id: string, reports: readonly JsonObject[]): RecordedVerdict | undefined {
  const report = reports.find((candidate) => idsIn(candidate, 'submitted_ids').includes(id));
  if (!report) return undefined;
  const isIn = ([key]: (typeof lists)[number]): boolean => idsIn(report, key).includes(id);
  const [first, ...others] = lists.filter(isIn).map(([, verdict]) => verdict);
  const other = others.find(({ state }) => state !== first?.state);
  if (first?.state === 'pass' && other) {
    return { state: 'error', reason: `the report says both ${first.reason} and ${other.reason}` };
  }
  return (
    others.find(({ state }) => state === 'error') ??
    first ?? { state: 'error', reason: 'the report does not say whether it was resolved' }
  );
}

/** Lists of a report with what it means to be in them. */
const lists: readonly (readonly [string, RecordedVerdict])[] = [
  ['resolved_ids', { state: 'pass', reason: 'resolved' }],
  ['error_ids', { state: 'error', reason: 'SWE-bench could not evaluate the patch' }],
  ['empty_patch_ids', { state: 'fail', reason: 'the patch is empty' }],
  ['unresolved_ids', { state: 'fail', reason: 'unresolved' }],
];

/** Larger files are neither a report nor predictions of one run. */
const mostBytes = 64 * 1_048_576;

async function documentsIn(path: string): Promise<JsonObject[]> {
  const { size } = await stat(path);
  const text = size > mostBytes ? '' : await readFile(path, 'utf8');
  return [parseJson(text), parseJson(firstLine(text))].filter(isRecord);
}

async function reportsBeside(path: string): Promise<JsonObject[]> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && join(folder, name) !== path);
  const documents = await Promise.all(names.sort().map((name) => documentsIn(join(folder, name)).catch(() => [])));
  return documents.flat().filter(isReport);
}

/** Predictions that are imported with their verdicts from a report beside them. */
async function predictionsAmong(path: string, others: readonly string[]): Promise<string | undefined> {
  for (const other of others) {
    if (other === path || dirname(other) !== dirname(path) || !/\.jsonl?$/.test(other)) continue;
    const documents = await documentsIn(other).catch(() => []);
    if (documents.some((document) => predictionsIn(document).length > 0)) return other;
  }
  return undefined;
}
