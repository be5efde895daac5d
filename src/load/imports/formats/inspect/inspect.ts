import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type JsonObject, objectOf, parseJson } from '../../coerce.ts';
import type { ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { someObject } from '../../sample.ts';
import { ZipFile } from '../../zip-file.ts';
import { isSample, trialOfSample } from './inspect-sample.ts';

/** Evaluation logs of Inspect as JSON: each sample of each epoch is a trial. */
export const inspectJson: ImportFormat = {
  name: 'inspect',
  summary: 'evaluation logs of Inspect, JSON',
  reports: [],
  recognises: (sample) =>
    someObject(sample, ({ eval: evaluation }) => isEvaluation(evaluation)) ||
    (/"eval"\s*:\s*\{/.test(sample.text) && /"task_id"\s*:/.test(sample.text) && /"run_id"\s*:/.test(sample.text)),
  lacks: (sample) =>
    someObject(sample, (object) => isRecord(object.eval)) ? '`eval` with `task` and `run_id`' : undefined,
  async *read(source) {
    let header: JsonObject | undefined;
    const samples = new SampleCounts();
    for await (const { value, line, key, head } of source.records('samples', 'reductions')) {
      header ??= isRecord(value) && key === undefined ? value : head;
      if (key === 'reductions') continue;
      if (key === 'samples') samples.add(value);
      if (key === 'samples' && isSample(value)) yield trialOfSample(value, head, line, source);
      else
        source.problem(
          line,
          key === undefined ? 'the log has no `samples`' : 'not a sample: `id`, `epoch` or `input` is missing',
        );
    }
    if (header && samples.all > 0) reportMissing(header, samples, source);
  },
};

/** Evaluation logs of Inspect in its own format: an archive of JSON files. */
export const inspectEval: ImportFormat = {
  name: 'inspect-eval',
  summary: 'evaluation logs of Inspect, `.eval` archives',
  reports: [],
  isBinary: true,
  recognises: ({ text, fileName }) => text.startsWith('PK\u0003\u0004') && fileName.toLowerCase().endsWith('.eval'),
  async *read(source) {
    await using archive = await ZipFile.open(source.path);
    if (archive.damage !== undefined) return source.problem(1, archive.damage);
    const header =
      (await readEntry(archive, 'header.json', source)) ?? (await readEntry(archive, '_journal/start.json', source));
    if (!isRecord(header) || !isEvaluation(header.eval)) {
      return source.problem(1, 'not a log of Inspect: `header.json` with `eval` is missing in the archive');
    }
    const samples = new SampleCounts();
    for (const name of archive.names.filter((entry) => /^samples\/.+\.json$/.test(entry))) {
      const sample = await readEntry(archive, name, source);
      samples.add(sample);
      if (isSample(sample)) yield trialOfSample(sample, header, 1, source);
      else if (sample !== undefined)
        source.problem(1, `${name}: not a sample: \`id\`, \`epoch\` or \`input\` is missing`);
    }
    reportMissing(header, samples, source);
  },
};

function isEvaluation(value: unknown): boolean {
  return isRecord(value) && typeof value.task === 'string' && 'run_id' in value;
}

/** The samples of a log, and those of them that did not end with an error. */
class SampleCounts {
  all = 0;
  completed = 0;

  add(sample: unknown): void {
    this.all++;
    if (objectOf(sample).error == null) this.completed++;
  }
}

/** Samples that were planned and are not in the log, and errors that are not in it. */
function reportMissing({ status, results }: JsonObject, { all, completed }: SampleCounts, source: ImportSource): void {
  const { total_samples: total, completed_samples: whole } = objectOf(results);
  if (status !== 'success' && status !== undefined) {
    source.problem(
      1,
      `the evaluation did not finish (\`status\` is ${JSON.stringify(status)}): samples may be missing`,
    );
  } else if (typeof total === 'number' && total !== all) {
    source.problem(1, `the log reports ${counted(total, 'sample')}, and has ${all}`);
  } else if (typeof whole === 'number' && whole < completed) {
    source.problem(1, `the log reports ${counted(whole, 'sample')} without an error, and has ${completed}`);
  }
}

async function readEntry(archive: ZipFile, name: string, source: ImportSource): Promise<unknown> {
  const entry = await archive.read(name);
  if (entry === undefined) return undefined;
  if ('damage' in entry) {
    source.problem(1, `${name}: ${entry.damage}`);
    return undefined;
  }
  const value = parseJson(entry.bytes.toString('utf8'));
  if (value === undefined) source.problem(1, `${name}: not JSON`);
  return value;
}
