import { grouped } from '../../shared/format.ts';
import type { EventBlock } from './shown-event.ts';

interface Printed {
  readonly text: string;
  readonly truncatedBytes: number;
}

/** What a process printed, where it printed anything. */
export function printedBlocks(event: {
  readonly stdout: Printed | null;
  readonly stderr: Printed | null;
}): EventBlock[] {
  return (['stdout', 'stderr'] as const).flatMap((channel) => {
    const printed = event[channel];
    if (!printed || (printed.text === '' && printed.truncatedBytes === 0)) return [];
    const cut = printed.truncatedBytes > 0 ? `, ${grouped(printed.truncatedBytes)} bytes were not kept` : '';
    return [{ label: `${channel}${cut}`, text: printed.text }];
  });
}
