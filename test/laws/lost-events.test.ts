import { beforeAll, describe, expect, it } from 'vitest';
import { type Channel, channels } from '../../src/domain/capability.ts';
import { greenerIn, type Judged, judgedBy, judgedWhole } from './greener.ts';
import { blindTo, lossyTraces } from './lost-events.ts';
import { sampleTraces } from './sample-traces.ts';

const wholes = new Map<string, Judged>();
beforeAll(async () => {
  for (const [name, trace] of Object.entries(sampleTraces)) wholes.set(name, await judgedWhole(trace));
});

/** Whether a trial of which something was lost looks better to a program that does not look at the losses of a channel. */
async function isGreenerWithout(channel: Channel): Promise<boolean> {
  for (const whole of wholes.values()) {
    for (const { trace, lost } of lossyTraces(whole.trace)) {
      if (!lost.includes(channel)) continue;
      const less = await judgedBy(blindTo(channel, trace), whole.parts);
      if (greenerIn(whole, less).length > 0) return true;
    }
  }
  return false;
}

describe('an event that was lost, and is marked as lost', () => {
  it.each(Object.keys(sampleTraces))('makes nothing greener: %s', async (name) => {
    const whole = wholes.get(name);
    if (!whole) throw new Error(name);
    const gained: string[] = [];
    for (const { place, trace } of lossyTraces(whole.trace)) {
      const less = await judgedBy(trace, whole.parts);
      gained.push(...greenerIn(whole, less).map((text) => `${place}: ${text}`));
    }
    expect(gained).toEqual([]);
  });

  it.each(channels)('would make a trial greener if nobody looked at the losses of %s', async (channel) => {
    expect(await isGreenerWithout(channel)).toBe(true);
  });
});
