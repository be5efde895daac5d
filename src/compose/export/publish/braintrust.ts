import type { RunHeader } from '../../../domain/run.ts';
import { accessOf } from './access.ts';
import { type ServiceApi, textIn } from './api.ts';
import { experimentsOf, OncePerName, type PublishedExperiment } from './experiments.ts';
import type { PublishedScore, PublishedTrial } from './published-trial.ts';
import type { PublishedPlace, Publisher, Service } from './service.ts';

/** Braintrust: a project with a dataset, and an experiment of rows. What has a name is made once; rows are replaced by id. */
export const braintrust: Service = {
  name: 'braintrust',
  variables: 'BRAINTRUST_API_KEY, BRAINTRUST_API_URL (default: https://api.braintrust.dev)',
  access(env) {
    const wanted = { service: 'Braintrust', env, keys: ['BRAINTRUST_API_KEY'], urls: ['BRAINTRUST_API_URL'] };
    const { url, keys } = accessOf({ ...wanted, url: 'https://api.braintrust.dev' });
    return { url, headers: { authorization: `Bearer ${keys[0]}` }, secrets: keys };
  },
  publisher: (api, place) => new BraintrustPublisher(api, place),
};

interface Ids {
  readonly project: string;
  readonly dataset: string;
}

class BraintrustPublisher implements Publisher {
  readonly #api: ServiceApi;
  readonly #place: PublishedPlace;
  readonly #ids = new OncePerName<Ids>();
  readonly #experiments = new OncePerName<string>();
  readonly #items = new Set<string>();

  constructor(api: ServiceApi, place: PublishedPlace) {
    this.#api = api;
    this.#place = place;
  }

  async publish(run: RunHeader, trials: readonly PublishedTrial[]): Promise<void> {
    const ids = await this.#ids.get(this.#place.name, () => this.#open());
    await this.#addItems(ids.dataset, trials);
    for (const experiment of experimentsOf(run, trials)) {
      const id = await this.#experiments.get(experiment.id, () => this.#experiment(experiment, ids));
      const events = experiment.trials.map((trial) => rowOf(trial, ids.dataset));
      await this.#api.put(`/v1/experiment/${id}/insert`, { events });
    }
  }

  async #open(): Promise<Ids> {
    const { name } = this.#place;
    const project = textIn(await this.#api.put('/v1/project', { name }), 'id', '/v1/project');
    const dataset = await this.#api.put('/v1/dataset', { project_id: project, name, description: 'Cases of Assay' });
    return { project, dataset: textIn(dataset, 'id', '/v1/dataset') };
  }

  async #addItems(dataset: string, trials: readonly PublishedTrial[]): Promise<void> {
    const items = trials.map(({ item }) => item).filter(({ id }) => !this.#items.has(id));
    if (items.length === 0) return;
    const events = [...new Map(items.map((item) => [item.id, item])).values()];
    await this.#api.put(`/v1/dataset/${dataset}/insert`, { events });
    for (const { id } of events) this.#items.add(id);
  }

  async #experiment({ name, metadata }: PublishedExperiment, { project, dataset }: Ids): Promise<string> {
    const wanted = { project_id: project, dataset_id: dataset, name, metadata, ensure_new: false };
    return textIn(await this.#api.put('/v1/experiment', wanted), 'id', '/v1/experiment');
  }
}

/** Scores are shares there; other figures are metrics. */
function rowOf(trial: PublishedTrial, datasetId: string): object {
  const { trialId: id, item, output, error, startedAt, durationMs, usage, costUsd } = trial;
  const shares = trial.scores.filter(isShare);
  const figures = trial.scores.filter((score) => !isShare(score) && score.value !== null);
  const seconds = { start: startedAt / 1_000, end: (startedAt + durationMs) / 1_000 };
  const tokens = { prompt_tokens: usage?.inputTokens, completion_tokens: usage?.outputTokens };
  return {
    ...{ id, span_id: id, root_span_id: id, created: new Date(startedAt).toISOString() },
    ...{ input: item.input, expected: item.expected, output, error },
    scores: Object.fromEntries(shares.map(({ name, value }) => [name, value])),
    metrics: {
      ...Object.fromEntries(figures.map(({ name, value }) => [name, value])),
      ...seconds,
      ...tokens,
      ...(costUsd !== null && { estimated_cost: costUsd }),
    },
    metadata: { ...trial.metadata, explanations: explanationsOf(trial) },
    span_attributes: { name: `${trial.metadata.scenario} ${trial.metadata.case}`, type: 'eval' },
    origin: { object_type: 'dataset', object_id: datasetId, id: item.id },
  };
}

function explanationsOf({ scores }: PublishedTrial): Record<string, string> {
  return Object.fromEntries(
    scores.flatMap(({ name, explanation }) => (explanation === undefined ? [] : [[name, explanation]])),
  );
}

/** A verdict without a value is an empty score: it could not be judged. */
function isShare({ kind, value }: PublishedScore): boolean {
  return value === null ? kind === 'verdict' : value >= 0 && value <= 1;
}
