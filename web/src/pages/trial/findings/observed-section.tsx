import { Check, CircleDashed, Minus } from 'lucide-react';
import {
  lossesOf,
  type ObservedChannel,
  observedChannels,
  stateWords,
} from '../../../../../src/domain/coverage-text.ts';
import type { TrialDetail } from '../../../../../src/entry/server/api/trials.ts';
import { Badge, type Tone } from '../../../kit/badge.tsx';
import { Card } from '../../../kit/page.tsx';
import { eventName } from '../use-trial-address.ts';

const looks = {
  complete: { tone: 'good', Icon: Check },
  partial: { tone: 'warn', Icon: CircleDashed },
  none: { tone: 'neutral', Icon: Minus },
} as const satisfies Record<ObservedChannel['state'], { tone: Tone; Icon: unknown }>;

interface ObservedProps {
  readonly trial: Pick<TrialDetail, 'record' | 'gaps'>;
  readonly onEvent: (name: string) => void;
}

/** How much of each channel was observed, and every loss with its place in the trace. */
export function ObservedSection({ trial: { record, gaps }, onEvent }: ObservedProps) {
  const { coverage } = record;
  if (!coverage) return null;
  const channels = observedChannels(coverage);
  const silent = channels.filter(({ state }) => state === 'none');
  return (
    <Card isColumn title="What was observed">
      <ul aria-label="Channels" className="flex flex-wrap gap-1.5">
        {channels.map((channel) => (
          <ChannelItem key={channel.channel} {...channel} />
        ))}
      </ul>
      <ul aria-label="What was lost" className="flex flex-col divide-y divide-line empty:hidden">
        {lossesOf(coverage).map(({ words, reason }) => (
          <LossItem
            key={reason}
            words={words}
            reason={reason}
            event={gaps.find(({ text }) => text === reason)?.event}
            onEvent={onEvent}
          />
        ))}
      </ul>
      {silent.length > 0 && (
        <p className="text-xs text-muted">
          Not observed: {silent.map(({ words, reasons = [] }) => `${words} (${reasons.join('; ')})`).join(', ')}.
        </p>
      )}
    </Card>
  );
}

function ChannelItem({ words, state }: ObservedChannel) {
  const { tone, Icon } = looks[state];
  return (
    <li>
      <Badge tone={tone} icon={<Icon size={12} aria-hidden strokeWidth={2.5} />}>
        {words}
        <span className="sr-only">: {stateWords[state]}</span>
      </Badge>
    </li>
  );
}

interface LossItemProps {
  readonly words: string;
  readonly reason: string;
  readonly event: number | undefined;
  readonly onEvent: (name: string) => void;
}

function LossItem({ words, reason, event, onEvent }: LossItemProps) {
  const name = event === undefined ? undefined : eventName(event);
  return (
    <li className="flex flex-col py-1.5">
      <div className="flex items-baseline justify-between gap-2">
        <span className="font-medium">{words}</span>
        {name !== undefined && (
          <button
            type="button"
            onClick={() => onEvent(name)}
            className="rounded font-mono text-xs text-accent hover:underline"
            title="Show it in the trace"
          >
            {name}
          </button>
        )}
      </div>
      <span className="break-words text-muted">{reason}</span>
    </li>
  );
}
