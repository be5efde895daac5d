import * as z from 'zod';
import { type Model, metadata, time } from './service.ts';

const itemEvent = z.strictObject({ id: z.string(), input: z.unknown(), expected: z.unknown(), metadata });
const rowEvent = z.strictObject({
  id: z.string(),
  span_id: z.string(),
  root_span_id: z.string(),
  created: time,
  input: z.unknown(),
  expected: z.unknown(),
  output: z.unknown(),
  error: z.string().nullable(),
  scores: z.record(z.string(), z.number().min(0).max(1).nullable()),
  metrics: z.record(z.string(), z.number()),
  metadata,
  span_attributes: z.strictObject({ name: z.string(), type: z.literal('eval') }),
  origin: z.strictObject({ object_type: z.literal('dataset'), object_id: z.literal('dataset-1'), id: z.string() }),
});
const projectBody = z.strictObject({ name: z.literal('shop') });
const datasetBody = projectBody.extend({ project_id: z.literal('project-0'), description: z.string() });
const experimentBody = z.strictObject({
  project_id: z.literal('project-0'),
  dataset_id: z.literal('dataset-1'),
  name: z.string(),
  metadata,
  ensure_new: z.literal(false),
});

export function braintrustModel(): Model {
  const named = new Map<string, string>();
  const items = new Map<string, z.output<typeof itemEvent>>();
  const rows = new Map<string, z.output<typeof rowEvent>>();
  const experiments: string[] = [];
  const byName = (kind: string, name: string): object => {
    const key = `${kind} ${name}`;
    if (!named.has(key)) named.set(key, `${kind}-${named.size}`);
    return { id: named.get(key), name };
  };
  return {
    authorization: 'Bearer braintrust-key-4711',
    envOf: (url) => ({ BRAINTRUST_API_KEY: 'braintrust-key-4711', BRAINTRUST_API_URL: url }),
    routes: {
      'POST /v1/project': ({ body }) => byName('project', projectBody.parse(body).name),
      'POST /v1/dataset': ({ body }) => byName('dataset', datasetBody.parse(body).name),
      'POST /v1/experiment': ({ body }) => {
        const { name } = experimentBody.parse(body);
        if (!experiments.includes(name)) experiments.push(name);
        return byName('experiment', name);
      },
      'POST /v1/dataset/:id/insert': ({ body }) => {
        const { events } = z.strictObject({ events: z.array(itemEvent).min(1) }).parse(body);
        for (const event of events) items.set(event.id, event);
        return { row_ids: events.map(({ id }) => id) };
      },
      'POST /v1/experiment/:id/insert': ({ body }) => {
        const { events } = z.strictObject({ events: z.array(rowEvent).min(1) }).parse(body);
        for (const event of events) rows.set(event.id, event);
        return { row_ids: events.map(({ id }) => id) };
      },
    },
    seen: () => ({
      dataset: [...items.values()].map(({ input, expected, metadata: facts }) => ({
        input,
        expected,
        case: facts.case,
      })),
      experiments,
      runs: [...rows.values()].map(({ output, error, scores, metadata: facts, origin }) => {
        if (!items.has(origin.id)) throw new Error('a row without its item');
        const { case: name, repeat, marks } = facts;
        return { case: name, repeat, output, isError: error !== null, marks, scores };
      }),
    }),
  };
}
