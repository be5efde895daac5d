import * as z from 'zod';
import { type Model, metadata, Refusal, type Request, time } from './service.ts';

const phoenixRows = z.array(metadata).min(1);
const uploadBody = z.strictObject({
  action: z.enum(['create', 'append']),
  name: z.literal('shop'),
  inputs: phoenixRows,
  outputs: phoenixRows,
  metadata: phoenixRows,
});
const phoenixExperiment = z.strictObject({ name: z.string(), metadata, repetitions: z.int().min(1) });
const runBody = z.strictObject({
  dataset_example_id: z.string(),
  repetition_number: z.int().min(1),
  start_time: time,
  end_time: time,
  output: metadata,
  error: z.string().nullable(),
  trace_id: z.string().nullable(),
});
const result = z.strictObject({
  score: z.number().nullable(),
  label: z.string().nullable(),
  explanation: z.string().nullable(),
});
const evaluationBody = z
  .strictObject({
    experiment_run_id: z.string(),
    name: z.string(),
    annotator_kind: z.enum(['CODE', 'LLM', 'HUMAN']),
    start_time: time,
    end_time: time,
    trace_id: z.string().optional(),
    result: result.optional(),
    error: z.string().optional(),
  })
  .refine((evaluation) => (evaluation.result === undefined) !== (evaluation.error === undefined));

/** Two pages wherever there is more than one entry. */
const paged = (list: readonly object[], { query }: Request): object => {
  const first = Number(query.get('cursor') ?? 0);
  return { data: list.slice(first, first + 2), next_cursor: first + 2 < list.length ? String(first + 2) : null };
};

interface Example {
  readonly id: string;
  readonly input: object;
  readonly output: object;
  readonly metadata: Record<string, unknown>;
}

function upload({ body, query }: Request, examples: Example[]): object {
  const { action, inputs, outputs, metadata: facts } = uploadBody.parse(body);
  if (query.get('sync') !== 'true') throw new Refusal(400, 'answered before it is done');
  if (action === 'create' && examples.length > 0) throw new Refusal(409, 'there is such a dataset');
  if (inputs.length !== outputs.length || inputs.length !== facts.length) throw new Refusal(422, 'uneven');
  for (const [index, input] of inputs.entries()) {
    const [output = {}, own = {}] = [outputs[index], facts[index]];
    examples.push({ id: `example-${examples.length}`, input, output, metadata: own });
  }
  return { data: { dataset_id: 'dataset-1', version_id: `version-${examples.length}` } };
}

export function phoenixModel(): Model {
  const examples: Example[] = [];
  const experiments: { id: string; name: string; metadata: Record<string, unknown> }[] = [];
  const runs: ({ id: string } & z.output<typeof runBody>)[] = [];
  const evaluations = new Map<string, { run: string; name: string; score: number | null }>();
  return {
    authorization: 'Bearer phoenix-key-4711',
    envOf: (url) => ({ PHOENIX_COLLECTOR_ENDPOINT: `${url}/v1/traces`, PHOENIX_API_KEY: 'phoenix-key-4711' }),
    routes: {
      'GET /v1/datasets': (request) => {
        const isThere = request.query.get('name') === 'shop' && examples.length > 0;
        return paged(isThere ? [{ id: 'dataset-1', name: 'shop' }] : [], request);
      },
      'POST /v1/datasets/upload': (request) => upload(request, examples),
      'GET /v1/datasets/dataset-1/examples': () => ({ data: { dataset_id: 'dataset-1', examples } }),
      'GET /v1/datasets/dataset-1/experiments': (request) => paged(experiments, request),
      'POST /v1/datasets/dataset-1/experiments': ({ body }) => {
        const { name, metadata: facts } = phoenixExperiment.parse(body);
        const made = { id: `experiment-${experiments.length}`, name, metadata: facts };
        experiments.push(made);
        return { data: made };
      },
      'GET /v1/experiments/:id/runs': (request) => paged(runs, request),
      'POST /v1/experiments/:id/runs': ({ body }) => {
        const wanted = runBody.parse(body);
        if (!examples.some(({ id }) => id === wanted.dataset_example_id)) throw new Refusal(404, 'no such example');
        const same = (run: (typeof runs)[number]): boolean =>
          run.dataset_example_id === wanted.dataset_example_id && run.repetition_number === wanted.repetition_number;
        if (runs.some(same)) throw new Refusal(409, 'there is such a run');
        const made = { id: `run-${runs.length}`, ...wanted };
        runs.push(made);
        return { data: { id: made.id } };
      },
      'POST /v1/experiment_evaluations': ({ body }) => {
        const { experiment_run_id: run, name, result: given } = evaluationBody.parse(body);
        if (!runs.some(({ id }) => id === run)) throw new Refusal(404, 'no such run');
        evaluations.set(`${run} ${name}`, { run, name, score: given?.score ?? null });
        return { data: { id: `${run} ${name}` } };
      },
    },
    seen: () => ({
      dataset: examples.map(({ input, output, metadata: facts }) => ({
        input,
        expected: (output as { expected?: unknown }).expected ?? output,
        case: facts.case,
      })),
      experiments: experiments.map(({ name }) => name),
      runs: runs.map(({ id, output, error }) => ({
        case: output.case,
        repeat: output.repeat,
        output: output.output,
        isError: error !== null,
        marks: output.marks,
        scores: Object.fromEntries(
          [...evaluations.values()].filter(({ run }) => run === id).map(({ name, score }) => [name, score]),
        ),
      })),
    }),
  };
}
