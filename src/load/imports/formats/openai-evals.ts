import { finishGaps } from '../../../drive/wire/finish.ts';
import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import { ChatTrial } from '../chat-trial.ts';
import { charactersIn, figureOf, type JsonObject, knownParts, nameOf, objectOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { errorText, type NamedScore, type RecordedVerdict, scored } from '../score-verdict.ts';

/** Memory limit: events of a sample are anywhere in the file. */
const mostHeldCharacters = 64 * 1_048_576;

/** Logs of OpenAI's evals program (events by sample), and output items of its Evals API: each sample is a trial. */
export const openaiEvals: ImportFormat = {
  name: 'openai-evals',
  summary: 'logs of OpenAI evals, and output items of its Evals API',
  reports: [],
  recognises: (sample) => someObject(sample, (object) => isSpec(object) || isEvent(object) || isOutputItem(object)),
  lacks: (sample) =>
    someObject(sample, (object) => 'spec' in object || 'final_report' in object)
      ? '`spec` with `eval_name`, and events with `sample_id`'
      : undefined,
  async *read(source) {
    let spec: JsonObject = {};
    const samples = new Map<string, { readonly line: number; readonly events: JsonObject[] }>();
    const repeats = new Repeats();
    const numbers = new Set<number | undefined>();
    let [characters, isEnded] = [0, false];
    for await (const { value, line } of source.records('data')) {
      if (!isRecord(value)) source.lostPart(line, 'not an event');
      else if (isOutputItem(value)) yield trialOfItem(value, line, source);
      else if (isSpec(value)) spec = objectOf(value.spec);
      else if (isEvent(value)) {
        const number = nameOf(value.event_id);
        const standing = repeats.standingOf(value, number);
        if (standing !== 'first') source.lostPart(line, `the event ${number} is there twice`);
        if (standing === 'again') continue;
        numbers.add(figureOf(value.event_id));
        characters += charactersIn(value);
        if (characters > mostHeldCharacters) return source.problem(line, 'the log is too long: split it by its runs');
        const id = nameOf(value.sample_id) ?? '';
        const sample = samples.get(id) ?? { line, events: [] };
        sample.events.push(value);
        samples.set(id, sample);
      } else if ('final_report' in value) isEnded = true;
      else source.lostPart(line, 'not an event: `sample_id` with `type` and `data` is missing');
    }
    if (samples.size > 0 && !isEnded) source.lostPart(1, 'the log ends before its `final_report`');
    if (!isSequence(numbers)) source.lostPart(1, 'an event of the log is missing: its number is passed over');
    for (const [id, { line, events }] of samples) yield trialOfEvents(id, events, spec, line, source);
  },
};

/** Whether numbers follow each other from 0; events of older logs have none. */
function isSequence(numbers: ReadonlySet<number | undefined>): boolean {
  return numbers.has(undefined)
    ? numbers.size === 1
    : [...numbers].every((number) => number === 0 || numbers.has((number ?? 0) - 1));
}

function isSpec({ spec }: JsonObject): boolean {
  return isRecord(spec) && typeof spec.eval_name === 'string';
}

function isEvent(object: JsonObject): boolean {
  return (
    typeof object.sample_id === 'string' &&
    typeof object.type === 'string' &&
    isRecord(object.data) &&
    'run_id' in object
  );
}

function isOutputItem({ object }: JsonObject): boolean {
  return object === 'eval.run.output_item';
}

function trialOfEvents(
  id: string,
  events: readonly JsonObject[],
  spec: JsonObject,
  line: number,
  source: ImportSource,
): ImportedTrial {
  const trial = new ChatTrial(source, line);
  const { collector, chat, place } = trial;
  const scores: NamedScore[] = [];
  let [broken, unread]: [string?, string?] = [];
  for (const { type, data, created_at } of events) {
    const fields = objectOf(data);
    collector.setTime(created_at);
    if (type === 'sampling') addSampling(trial, fields);
    else if (type === 'match') scores.push(matchOf(fields));
    else if (type === 'metrics') for (const [name, value] of Object.entries(fields)) scores.push({ name, value });
    else if (type === 'error') broken ??= nameOf(fields.message) ?? nameOf(fields.error) ?? 'it reports an error';
    else if (!otherEvents.has(String(type))) {
      unread = `an event of the unknown kind ${JSON.stringify(type)}`;
      collector.lose(lost.everything, unread, place);
    }
  }
  chat.finish();
  collector.loseMissingAnswer();
  source.lossesInto(collector);
  const models = Array.isArray(spec.completion_fns) ? spec.completion_fns.flatMap((name) => nameOf(name) ?? []) : [];
  // `choice` of a graded sample is a letter whose meaning is in the eval; its score counts.
  const judging = scores.filter(({ name }) => name !== 'choice');
  const judged = scored(judging, source.options.passAt, scores);
  return trial.finish({
    scenario: nameOf(spec.eval_name),
    caseId: id,
    variant: models.length > 0 ? { model: models.join(' + ') } : {},
    ...judged,
    verdict: broken === undefined ? certain(judged.verdict, unread, source) : { state: 'error', reason: broken },
  });
}

/** A part that could not be read may have been the error or the failed match of any sample; an event names its sample. */
function certain(
  verdict: RecordedVerdict | undefined,
  unread: string | undefined,
  { losses: [first] }: ImportSource,
): RecordedVerdict | undefined {
  if (unread !== undefined && verdict?.state !== 'fail') return { state: 'error', reason: `${unread} may judge it` };
  return first && verdict?.state === 'pass'
    ? { state: 'error', reason: `a part of the log could not be read (line ${first.line}: ${first.message})` }
    : verdict;
}

/** Events that neither show what a model did nor judge it. */
const otherEvents: ReadonlySet<string> = new Set(['raw_sample', 'extra', 'embedding', 'cond_logp', 'pick_option']);

function addSampling({ chat, place }: ChatTrial, { prompt, sampled, usage }: JsonObject): void {
  if (typeof prompt === 'string') chat.add({ role: 'user', content: prompt }, place);
  else chat.addAll(prompt, place, () => undefined);
  for (const answer of Array.isArray(sampled) ? sampled : [sampled]) {
    if (answer != null) chat.add({ role: 'assistant', content: answer }, place);
  }
  if (isRecord(usage)) chat.addRequest({ usage: readCounts(usage) }, place);
}

function matchOf({ correct, expected, picked }: JsonObject): NamedScore {
  const words = correct === true ? 'correct' : 'not correct';
  const more = picked === undefined ? '' : `: expected ${JSON.stringify(expected)}, picked ${JSON.stringify(picked)}`;
  return { name: 'match', value: correct, reason: `${words}${more}`, meaning: 'verdict' };
}

function trialOfItem(item: JsonObject, line: number, source: ImportSource): ImportedTrial {
  const sample = objectOf(item.sample);
  const trial = new ChatTrial(source, line, item.created_at);
  const { collector, chat, place } = trial;
  for (const list of [sample.input, sample.output])
    trial.addAll(list, (number) => `message ${number} of the sample is not valid`);
  for (const loss of finishGaps(nameOf(sample.finish_reason), true)) collector.lose(loss.channels, loss.reason, place);
  if (isRecord(sample.usage)) chat.addTotal({ usage: readCounts(sample.usage) }, place);
  chat.finish();
  const results = Array.isArray(item.results) ? item.results.map(objectOf) : [];
  const scoresBy = (key: 'score' | 'passed') =>
    results.map((result) => ({ name: nameOf(result.name) ?? 'grader', value: result[key] }));
  const passed = scoresBy('passed').map((score) => ({ ...score, meaning: 'verdict' }) as const);
  const judged = scored(passed, source.options.passAt, scoresBy('score'));
  return trial.finish({
    id: nameOf(item.id),
    scenario: nameOf(item.eval_id),
    caseId: nameOf(item.datasource_item_id) ?? nameOf(item.id),
    variant: knownParts({ model: nameOf(sample.model) }),
    ...judged,
    verdict: verdictOfItem(item, sample, judged.verdict),
  });
}

function verdictOfItem(
  { status }: JsonObject,
  sample: JsonObject,
  verdict: RecordedVerdict | undefined,
): RecordedVerdict | undefined {
  const error = errorText(sample.error);
  if (error !== undefined) return { state: 'error', reason: `the sample failed: ${error}` };
  if (status === 'error' || status === 'errored') return { state: 'error', reason: 'its `status` is error' };
  const isContradicted = /^fail/.test(String(status)) && verdict?.state === 'pass';
  return isContradicted
    ? { state: 'error', reason: `the file says both \`status: ${status}\` and passed graders only` }
    : verdict;
}
