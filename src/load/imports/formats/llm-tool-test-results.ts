import { canonicalJson } from '../../../shared/json.ts';
import { amountOf, nameOf, objectOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import { verdictOfWord } from '../recorded-verdict.ts';
import { someObject } from '../sample.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** `results.jsonl` of llm-tool-test: the outcome of each trial, without its trace. */
export const llmToolTestResults: ImportFormat = {
  name: 'llm-tool-test-results',
  summary: 'results.jsonl of llm-tool-test',
  reports: [],
  recognises: (sample) => someObject(sample, isResult),
  lacks: (sample) =>
    someObject(sample, (object) => 'scenario_id' in object) ? '`outcome` beside `scenario_id`' : undefined,
  async *read(source) {
    for await (const { object, number } of source.objectLines()) {
      if (isResult(object)) yield trialIn(object, number, source.file);
      else source.problem(number, 'not a result: `scenario_id` or `outcome` is missing');
    }
  },
};

function isResult(object: JsonObject): boolean {
  return typeof object.scenario_id === 'string' && typeof object.outcome === 'string';
}

function trialIn(object: JsonObject, line: number, file: string): ImportedTrial {
  const agent = nameOf(object.tool);
  const model = nameOf(object.model);
  const seconds = amountOf(object.duration_secs);
  const score = amountOf(object.judge_score);
  const { gates_passed, gates_total } = objectOf(object.metrics);
  const figures = { judge_score: score, gates_passed: amountOf(gates_passed), gates_total: amountOf(gates_total) };
  const metrics = Object.entries(figures).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return {
    line,
    // The same scenario may run often, but not twice at the same time.
    id:
      object.timestamp === undefined
        ? undefined
        : canonicalJson([file, object.scenario_id, agent, model, object.timestamp]),
    scenario: nameOf(object.scenario_id),
    caseId: 'task',
    variant: { ...(agent && { agent }), ...(model && { model }) },
    trace: [],
    verdict: verdictOfWord(object.outcome) ?? { state: 'skipped', reason: String(object.outcome) },
    startedAt: timeOf(object.timestamp),
    durationMs: seconds === undefined ? undefined : seconds * 1_000,
    costUsd: amountOf(object.cost_usd),
    metrics: Object.fromEntries(metrics),
  };
}
