import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../../../src/domain/trace.ts';
import { renderInApp } from '../../../testing/render-in-app.tsx';
import { EventHead } from './event-head.tsx';
import { EventRow } from './event-row.tsx';
import { timelineEntry } from './timeline.ts';

const call: TraceEvent = { type: 'tool-call', at: 0, seenBy: 'agent', callId: 'c', tool: 'add', input: {} };
const result: TraceEvent = { type: 'tool-result', at: 0, seenBy: 'agent', callId: 'c', result: 5 };
const message: TraceEvent = { type: 'message', at: 0, seenBy: 'agent', role: 'assistant', text: 'Done' };

async function textOf(event: TraceEvent, answer?: TraceEvent): Promise<string> {
  const entry = timelineEntry(event, answer as never);
  const head = { entry, event, isOpen: false, lengthMs: 10, wanted: undefined, isSelected: false, onToggle: () => {} };
  const screen = await renderInApp(() => <EventHead {...head} />);
  await screen.findAllByText(/./);
  const { textContent } = screen.container;
  screen.unmount();
  return textContent ?? '';
}

describe('the line of an event', () => {
  it('says that the length of an answer is not known, and never that it took no time', async () => {
    expect(await textOf(call, result)).toMatch(/–/);
    expect(await textOf(call, { ...result, durationMs: 7 })).toMatch(/7 ms/);
    expect(await textOf(message)).not.toMatch(/–|ms/);
    expect(await textOf(call), 'a call without an answer').not.toMatch(/–|ms/);
  });

  it('has no time where no event of the trace has one', async () => {
    const row = { trialId: 't', placed: { index: 0, event: message, shortened: [] }, recorded: [], kind: 'list' };
    const rowText = async (isTimed: boolean) => {
      const props = { ...row, position: 1, count: 1, lengthMs: 0, isTimed, isLinked: false, onSelect: () => {} };
      const screen = await renderInApp(() => <EventRow {...(props as unknown as Parameters<typeof EventRow>[0])} />);
      await screen.findByRole('article');
      const { textContent } = screen.container;
      screen.unmount();
      return textContent;
    };
    expect(await rowText(true)).toMatch(/0 ms/);
    expect(await rowText(false)).toMatch(/–/);
    expect(await rowText(false)).not.toMatch(/ms/);
  });
});
