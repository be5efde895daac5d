import { canonicalJson } from '../../../shared/json.ts';
import { amountOf, type JsonObject, knownParts, msOfSeconds, nameOf, objectOf, timeOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import { someObject } from '../sample.ts';
import { verdictOfWord } from '../score-verdict.ts';

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
  const [agent, model] = [nameOf(object.tool), nameOf(object.model)];
  const { gates_passed, gates_total } = objectOf(object.metrics);
  const figures = { judge_score: object.judge_score, gates_passed, gates_total };
  return {
    line,
    // The same scenario may run often, but not twice at the same time.
    id:
      object.timestamp === undefined
        ? undefined
        : canonicalJson([file, object.scenario_id, agent, model, object.timestamp]),
    scenario: nameOf(object.scenario_id),
    caseId: 'task',
    variant: knownParts({ agent, model }),
    trace: [],
    verdict: verdictOfWord(object.outcome) ?? { state: 'skipped', reason: String(object.outcome) },
    startedAt: timeOf(object.timestamp),
    durationMs: msOfSeconds(object.duration_secs),
    costUsd: amountOf(object.cost_usd),
    metrics: knownParts(Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, amountOf(value)]))),
  };
}
