import { shellQuoted } from '../../shared/shell-words.ts';
import script from './recorder.sh?raw';
import type { Shim, ShimSettings } from './shim.ts';

/** The shim for machines without perl. */
export const shShim: Shim = {
  server: undefined,
  starter: undefined,
  needs: [],
  limits:
    'the tool was recorded without perl: its output was not recorded, an agent could change the records, ' +
    'a death by signal is reported as exit code 128 or higher, ' +
    'a signal sent to the tool alone ends the shim in front of it instead, and the tool does not receive the name it was called by',
  render: ({ program, name, channel }: ShimSettings) =>
    Object.entries({ program, name, calls: channel }).reduce(
      (text, [key, value]) => text.replace(`_assay_${key}=''`, () => `_assay_${key}=${shellQuoted(value)}`),
      script,
    ),
};
