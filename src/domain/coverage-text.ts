import type { Channel } from './capability.ts';
import type { ChannelCoverage, RecordedCoverage } from './coverage-schema.ts';
import type { TraceEventOf } from './trace.ts';

/** A loss of observations: what was lost, and where. */
type Gap = Pick<TraceEventOf<'gap'>, 'reason' | 'place'>;

/** Channel names for people, in the order in which every surface lists them. */
export const channelWords: Readonly<Record<Channel, string>> = {
  answers: 'answers',
  'tool-calls': 'tool calls',
  'tool-results': 'tool results',
  commands: 'commands',
  files: 'files',
  state: 'state of the backend',
  page: 'pages in the browser',
  approvals: 'approvals',
  usage: 'tokens',
  cost: 'costs',
  times: 'times',
  requests: 'model requests',
};

/** Channels that nothing observes unless a scenario wants it: they are listed only where something of them was lost. */
export const channelsOnRequest: ReadonlySet<Channel> = new Set<Channel>(['state', 'page', 'approvals']);

/** How much of a channel was observed, for people. */
export const stateWords: Readonly<Record<ChannelCoverage['state'], string>> = {
  complete: 'observed',
  partial: 'partly observed',
  none: 'not observed',
};

/** A gap for people: why, and where. */
export function gapText({ reason, place }: Gap): string {
  return place === undefined ? reason : `${reason} (${place})`;
}

/** A gap with what it was lost of: `tool calls, tool results: the reply has a block of an unknown kind (content[2])`. */
export function describeGap({ channels, ...gap }: TraceEventOf<'gap'>): string {
  return `${channels.map((channel) => channelWords[channel]).join(', ')}: ${gapText(gap)}`;
}

/** One channel of a trial for people. */
export interface ObservedChannel extends ChannelCoverage {
  readonly channel: Channel;
  readonly words: string;
}

/** Every channel of a trial, whether it is complete or not. */
export function observedChannels(coverage: RecordedCoverage): ObservedChannel[] {
  return Object.entries(channelWords).flatMap(([name, words]) => {
    const channel = name as Channel;
    if (channelsOnRequest.has(channel) && coverage[channel] === undefined) return [];
    return { channel, words, ...(coverage[channel] ?? { state: 'complete' }) };
  });
}

/** A loss, with the channels that it touches in words. */
export interface ListedLoss {
  readonly words: string;
  readonly reason: string;
}

/** Losses of channels that were partly observed, each once. */
export function lossesOf(coverage: RecordedCoverage): ListedLoss[] {
  const lost = new Map<string, string[]>();
  for (const { state, words, reasons = [] } of observedChannels(coverage)) {
    if (state !== 'partial') continue;
    for (const reason of reasons) lost.set(reason, [...(lost.get(reason) ?? []), words]);
  }
  return [...lost].map(([reason, channels]) => ({ reason, words: channels.join(', ') }));
}

/** The unobserved part of a trial, in lines: one for each loss, and one for all channels that nothing reports. */
export function coverageLines(coverage: RecordedCoverage | undefined): string[] {
  if (!coverage) return [];
  const silent = observedChannels(coverage).filter(({ state }) => state === 'none');
  return [
    ...lossesOf(coverage).map(({ words, reason }) => `${stateWords.partial}: ${words}: ${reason}`),
    ...(silent.length > 0 ? [`${stateWords.none}: ${silent.map(({ words }) => words).join(', ')}`] : []),
  ];
}

/** Numbers of the events of losses by their text, by which a surface can lead to them. */
export function gapEvents(trace: readonly { readonly type: string }[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, event] of trace.entries()) {
    if (event.type !== 'gap') continue;
    const text = gapText(event as TraceEventOf<'gap'>);
    if (!found.has(text)) found.set(text, index);
  }
  return found;
}
