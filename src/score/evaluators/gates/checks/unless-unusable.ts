import { failed, type GateVerdict } from '../gate.ts';
import { UnusableFile } from './work-file.ts';

/** The verdict of a check on a file; a file that cannot be looked at fails it. */
export async function unlessUnusable(check: () => Promise<GateVerdict>): Promise<GateVerdict> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof UnusableFile) return failed(error.message);
    throw error;
  }
}
