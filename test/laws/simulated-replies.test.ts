import { expect, it } from 'vitest';
import type { UnstampedEvent } from '../../src/domain/trace.ts';
import type { Model } from '../../src/drive/models/model.ts';
import { Simulation } from '../../src/drive/simulation/simulation.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';
import { documentOf } from './document.ts';
import { distortions, operatorNames } from './operators.ts';
import { some } from './pairs.ts';

const orders = { W7: { items: ['teapot'], status: 'open' }, W8: { items: [], status: 'sent' } };
const good = { result: { id: 'W7', total: 12.5, items: ['teapot'] }, state: { orders } };
const outputSchema = {
  type: 'object',
  properties: { id: { const: 'W7' }, total: { const: 12.5 }, items: { const: ['teapot'] } },
  required: ['id', 'total', 'items'],
  additionalProperties: false,
};

/** Has a call answered by a model with this reply, and gives the answer with all events. */
async function answered(text: string) {
  const reply = { text, toolCalls: [], finishReason: 'stop', usage: {}, costUsd: 0.1, latencyMs: 1, isReplayed: false };
  const model = { name: 'any/model', generate: async () => ({ ...reply, respondedAs: 'model' }) } as unknown as Model;
  const events: UnstampedEvent[] = [];
  const models = async () => ({ find: async () => model }) as never;
  const simulation = new Simulation({ repeat: 1 }, (event) => void events.push(event as UnstampedEvent), { models });
  const places = { mock: 'a:1:1', answer: 'a:1:1', args: 'a:1:1' };
  const tools = simulation.ofServer('shop', [{ tool: 'find', mock: { simulate: { model: 'any/model' } }, places }]);
  const call = { tool: 'find', number: 1, place: 'a:1:1', input: {}, definition: { name: 'find', outputSchema } };
  return { answer: await tools?.answer(call, new AbortController().signal), events };
}

it('a reply of a model that plays a tool, damaged anywhere, is the same answer or an error of the trial', async () => {
  const whole = await answered(JSON.stringify(good));
  expect(whole.answer).toEqual({ kind: 'result', result: good.result });
  const document = documentOf(JSON.stringify(good));
  const most = repeatsInFull ? Number.POSITIVE_INFINITY : 20;
  let failed = 0;
  for (const operator of operatorNames) {
    for (const distortion of some(distortions(document, operator), most)) {
      const { answer, events } = await answered(distortion.text());
      const controls = events.flatMap((event) => (event.type === 'tool-control' ? [event] : []));
      expect(controls).toHaveLength(1);
      if (answer?.kind !== 'failed') {
        expect([operator, distortion.place, answer]).toEqual([operator, distortion.place, whole.answer]);
        expect(controls[0]?.simulation?.state).toBeDefined();
        continue;
      }
      failed++;
      expect(controls[0]).toMatchObject({ failure: { code: 'MODEL_BAD_REPLY', blame: 'model' } });
      // Both prompts were paid for.
      expect(events.filter(({ type }) => type === 'usage')).toHaveLength(2);
    }
  }
  expect(failed).toBeGreaterThan(30);
});
