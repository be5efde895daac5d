import type { TraceEventOf } from './trace.ts';

type Instructions = TraceEventOf<'instructions'>;

/** Which instructions reached the model, in words. */
export function describeInstructions(event: Instructions): string {
  const foreign = event.foreign.map(({ path, text }) => path ?? JSON.stringify(text)).join(', ');
  return [guidanceText(event), ...(foreign === '' ? [] : [`foreign instructions reached the model: ${foreign}`])].join(
    '; ',
  );
}

function guidanceText({ guidance, arrived, calls, files }: Instructions): string {
  const requests = `${calls.with} of ${calls.of} requests`;
  if (guidance === null) return files.length === 0 ? 'no guidance' : `no guidance; read: ${pathsOf(files)}`;
  if (arrived === 'unknown') return `whether the guidance ${guidance} reached the model is unknown`;
  return arrived === 'yes'
    ? `the guidance ${guidance} reached the model in ${requests}`
    : `the guidance ${guidance} did not reach the model (${requests})`;
}

function pathsOf(files: Instructions['files']): string {
  return files.map(({ path }) => path).join(', ');
}
