import type { RunHeader } from '../../../domain/run.ts';
import { attributesOf } from '../../../report/reporters/otlp/attributes.ts';
import { type Span, tracesMessage } from '../../../report/reporters/otlp/trial-spans.ts';
import { sha256 } from '../../../shared/ids.ts';
import { accessOf } from './access.ts';
import { type ServiceApi, textIn } from './api.ts';
import { experimentsOf, forAll, OncePerName, type PublishedExperiment } from './experiments.ts';
import type { PublishedItem, PublishedTrial } from './published-trial.ts';
import type { PublishedPlace, Publisher, Service } from './service.ts';

/** Langfuse: a dataset with items, traces with the attributes of an experiment, and scores on their first spans. */
export const langfuse: Service = {
  name: 'langfuse',
  variables: 'LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL (default: https://cloud.langfuse.com)',
  access(env) {
    const base = { service: 'Langfuse', env, urls: ['LANGFUSE_BASE_URL', 'LANGFUSE_HOST'] };
    const found = accessOf({
      ...base,
      keys: ['LANGFUSE_PUBLIC_KEY', 'LANGFUSE_SECRET_KEY'],
      url: 'https://cloud.langfuse.com',
    });
    const credentials = Buffer.from(found.keys.join(':')).toString('base64');
    return {
      url: found.url,
      headers: { authorization: `Basic ${credentials}` },
      secrets: [...found.keys, credentials],
    };
  },
  publisher: (api, place) => new LangfusePublisher(api, place),
};

const environment = 'assay';
/** Experiments are read from the spans themselves by this version of the ingestion. */
const ingestion = { 'x-langfuse-ingestion-version': '4' };

class LangfusePublisher implements Publisher {
  readonly #api: ServiceApi;
  readonly #place: PublishedPlace;
  readonly #datasets = new OncePerName<string>();
  readonly #items = new OncePerName<unknown>();

  constructor(api: ServiceApi, place: PublishedPlace) {
    this.#api = api;
    this.#place = place;
  }

  async publish(run: RunHeader, trials: readonly PublishedTrial[]): Promise<void> {
    const datasetId = await this.#datasets.get(this.#place.name, () => this.#dataset());
    await forAll(trials, ({ item }) => this.#items.get(item.id, () => this.#item(item)));
    // There, an item occurs once in an experiment.
    for (const experiment of experimentsOf(run, trials, { isOnePerItem: true })) {
      const spans = experiment.trials.flatMap((trial) => spansOf(trial, experiment, datasetId));
      await this.#api.put('/api/public/otel/v1/traces', tracesMessage(run, spans), ingestion);
    }
    await forAll(trials.flatMap(scoresOf), (score) => this.#api.put('/api/public/scores', score));
  }

  /** Datasets are known by their names. */
  async #dataset(): Promise<string> {
    const path = '/api/public/v2/datasets';
    return textIn(await this.#api.put(path, { name: this.#place.name, description: 'Cases of Assay' }), 'id', path);
  }

  #item({ id, input, expected, metadata }: PublishedItem): Promise<unknown> {
    const item = { datasetName: this.#place.name, id, input, expectedOutput: expected, metadata };
    return this.#api.put('/api/public/dataset-items', item);
  }
}

/** The spans of a trial; every one says which experiment and item it belongs to, because nothing else carries that over. */
function spansOf(trial: PublishedTrial, { id, name, metadata }: PublishedExperiment, datasetId: string): Span[] {
  const { spans } = trial.telemetry;
  const root = spans[0]?.spanId;
  const shared = attributesOf({
    'langfuse.experiment.id': id,
    'langfuse.experiment.name': name,
    'langfuse.experiment.dataset.id': datasetId,
    'langfuse.experiment.metadata': { json: JSON.stringify(metadata) },
    'langfuse.experiment.item.id': trial.item.id,
    'langfuse.experiment.item.root_observation_id': root,
    'langfuse.environment': environment,
  });
  const own = attributesOf({
    'langfuse.observation.input': { json: JSON.stringify(trial.item.input) },
    'langfuse.observation.output': { json: JSON.stringify(trial.output) },
    'langfuse.experiment.item.expected_output': { json: JSON.stringify(trial.item.expected) },
    'langfuse.observation.metadata': { json: JSON.stringify(trial.metadata) },
  });
  return spans.map((span, index) => ({
    ...span,
    attributes: [...span.attributes, ...shared, ...(index === 0 ? own : [])],
  }));
}

/** Without a value there is nothing that a score could be. */
function scoresOf({ telemetry, scores }: PublishedTrial): object[] {
  const [root] = telemetry.spans;
  if (!root) return [];
  const { traceId, spanId: observationId } = root;
  const sent = scores.filter(({ value }) => value !== null);
  return sent.map(({ name, kind, value, explanation }) => {
    const isYesOrNo = kind === 'verdict' && (value === 0 || value === 1);
    return {
      id: `assay-${sha256(`${traceId} ${name}`).slice(0, 32)}`,
      ...{ traceId, observationId, name, value, environment },
      dataType: isYesOrNo ? 'BOOLEAN' : 'NUMERIC',
      ...(explanation !== undefined && { comment: explanation }),
    };
  });
}
