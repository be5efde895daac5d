import type { RunHeader } from '../../../domain/run.ts';
import { isRecord } from '../../../shared/json.ts';
import { accessOf } from './access.ts';
import { NotTaken, type ServiceApi, textIn } from './api.ts';
import { experimentsOf, forAll, OncePerName, type PublishedExperiment } from './experiments.ts';
import type { PublishedItem, PublishedTrial } from './published-trial.ts';
import type { PublishedPlace, Publisher, Service } from './service.ts';

/** Phoenix: a dataset of examples, an experiment on it with a run for each trial, and evaluations of these. */
export const phoenix: Service = {
  name: 'phoenix',
  variables:
    'PHOENIX_BASE_URL or PHOENIX_COLLECTOR_ENDPOINT (default: http://localhost:6006), PHOENIX_API_KEY where it wants one',
  access(env) {
    const urls = ['PHOENIX_BASE_URL', 'PHOENIX_COLLECTOR_ENDPOINT'];
    const { url } = accessOf({ service: 'Phoenix', env, keys: [], urls, url: 'http://localhost:6006' });
    url.pathname = url.pathname.replace(/\/v1\/traces\/?$/, '');
    const key = env.PHOENIX_API_KEY?.trim();
    return { url, headers: key ? { authorization: `Bearer ${key}` } : {}, secrets: key ? [key] : [] };
  },
  publisher: (api, place) => new PhoenixPublisher(api, place),
};

interface Dataset {
  /** Empty until it is made. */
  id: string;
  /** Ids there by the ids of items. */
  readonly examples: Map<string, string>;
}

interface Experiment {
  readonly id: string;
  /** Ids of its runs by example and repetition. */
  readonly runs: Map<string, string>;
}

/** Ids are drawn there, so what is there already is looked for before anything is made. */
class PhoenixPublisher implements Publisher {
  readonly #api: ServiceApi;
  readonly #place: PublishedPlace;
  readonly #datasets = new OncePerName<Dataset>();
  readonly #experiments = new OncePerName<Experiment>();

  constructor(api: ServiceApi, place: PublishedPlace) {
    this.#api = api;
    this.#place = place;
  }

  async publish(run: RunHeader, trials: readonly PublishedTrial[]): Promise<void> {
    const dataset = await this.#datasets.get(this.#place.name, () => this.#openDataset());
    await this.#addExamples(dataset, trials);
    for (const experiment of experimentsOf(run, trials)) {
      const open = await this.#experiments.get(experiment.id, () => this.#openExperiment(experiment, dataset));
      await forAll(experiment.trials, (trial) => this.#publishTrial(trial, open, dataset));
    }
  }

  async #openDataset(): Promise<Dataset> {
    const { name } = this.#place;
    const [found] = await this.#api.list('/v1/datasets', { name });
    if (found === undefined) return { id: '', examples: new Map() };
    const id = textIn(found, 'id', '/v1/datasets');
    return { id, examples: await this.#examplesOf(id) };
  }

  async #examplesOf(datasetId: string): Promise<Map<string, string>> {
    const { data } = await this.#api.get(`/v1/datasets/${datasetId}/examples`);
    const examples = isRecord(data) && Array.isArray(data.examples) ? data.examples : [];
    return new Map(examples.flatMap((example) => idsOf(example)));
  }

  async #addExamples(dataset: Dataset, trials: readonly PublishedTrial[]): Promise<void> {
    const items = new Map(trials.map(({ item }) => [item.id, item]));
    const missing = [...items.values()].filter(({ id }) => !dataset.examples.has(id));
    if (missing.length === 0) return;
    const action = dataset.id === '' ? 'create' : 'append';
    const upload = { action, name: this.#place.name, ...columnsOf(missing) };
    const { data } = await this.#api.create('/v1/datasets/upload', upload, { sync: 'true' });
    dataset.id = textIn(data, 'dataset_id', '/v1/datasets/upload');
    for (const [item, example] of await this.#examplesOf(dataset.id)) dataset.examples.set(item, example);
  }

  async #openExperiment({ id, name, metadata, trials }: PublishedExperiment, dataset: Dataset): Promise<Experiment> {
    const path = `/v1/datasets/${dataset.id}/experiments`;
    const found = (await this.#api.list(path)).find((each) => metadataOf(each).assayId === id);
    if (found) return this.#withRuns(textIn(found, 'id', path));
    const repetitions = Math.max(...trials.map(({ repeat }) => repeat));
    const wanted = { name, metadata: { ...metadata, assayId: id }, repetitions };
    const made = await this.#api.create(path, wanted);
    return { id: textIn(made.data, 'id', path), runs: new Map() };
  }

  async #withRuns(id: string): Promise<Experiment> {
    const runs = (await this.#api.list(`/v1/experiments/${id}/runs`)).filter(isRecord);
    return {
      id,
      runs: new Map(runs.map((run) => [placeOf(run.dataset_example_id, run.repetition_number), String(run.id)])),
    };
  }

  async #publishTrial(trial: PublishedTrial, experiment: Experiment, dataset: Dataset): Promise<void> {
    const example = dataset.examples.get(trial.item.id);
    if (example === undefined)
      throw new NotTaken({ kind: 'failed', failure: `the dataset has no example for case "${trial.metadata.case}"` });
    const times = {
      start_time: new Date(trial.startedAt).toISOString(),
      end_time: new Date(trial.startedAt + trial.durationMs).toISOString(),
    };
    const place = placeOf(example, trial.repeat);
    const runId = experiment.runs.get(place) ?? (await this.#addRun(trial, experiment, example, times));
    experiment.runs.set(place, runId);
    const traceId = trial.telemetry.spans[0]?.traceId;
    for (const { name, value, label, explanation } of trial.scores) {
      if (value === null && label === undefined) continue;
      await this.#api.put('/v1/experiment_evaluations', {
        ...{ experiment_run_id: runId, name, annotator_kind: 'CODE', ...times, trace_id: traceId },
        ...(value === null && label !== 'skipped'
          ? { error: explanation ?? label }
          : { result: { score: value, label: label ?? null, explanation: explanation ?? null } }),
      });
    }
  }

  async #addRun(trial: PublishedTrial, { id }: Experiment, example: string, times: object): Promise<string> {
    const path = `/v1/experiments/${id}/runs`;
    // The outcome is an evaluation, which can be replaced when the trial is judged again.
    const { outcome: _outcome, reason: _reason, ...facts } = trial.metadata;
    const { data } = await this.#api.create(path, {
      ...{ dataset_example_id: example, repetition_number: trial.repeat, ...times },
      ...{ output: { output: trial.output, ...facts }, error: trial.error },
      trace_id: trial.telemetry.spans[0]?.traceId ?? null,
    });
    return textIn(data, 'id', path);
  }
}

function placeOf(example: unknown, repetition: unknown): string {
  return JSON.stringify([example, repetition]);
}

function metadataOf(value: unknown): Record<string, unknown> {
  return isRecord(value) && isRecord(value.metadata) ? value.metadata : {};
}

/** The id of an item, and of its example. */
function idsOf(example: unknown): [string, string][] {
  const { assayId } = metadataOf(example);
  return typeof assayId === 'string' && isRecord(example) ? [[assayId, String(example.id)]] : [];
}

function columnsOf(items: readonly PublishedItem[]): object {
  return {
    inputs: items.map(({ input }) => (isRecord(input) ? input : { input })),
    outputs: items.map(({ expected }) => (isRecord(expected) ? expected : { expected })),
    metadata: items.map(({ id, metadata }) => ({ ...metadata, assayId: id })),
  };
}
