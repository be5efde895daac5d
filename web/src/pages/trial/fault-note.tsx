import { TriangleAlert } from 'lucide-react';
import type { Fault } from '../../../../src/domain/outcome.ts';

const culprits: Readonly<Record<Fault['blame'], string>> = {
  user: 'Something in the files or the set-up',
  target: 'The tool or agent under test',
  agent: 'The agent that drove the tool',
  model: 'The provider of the model',
  judge: 'The judge',
  store: 'The store',
  engine: 'Assay itself',
};

/** Why something could not be judged: whose fault it is, and what to do. What the reason says already is not repeated. */
export function FaultNote({ fault, reason }: { fault: Fault; reason: string }) {
  return (
    <section
      aria-label="Why it could not be judged"
      className="flex gap-3 rounded-lg border border-error/40 bg-error-ground p-4"
    >
      <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-error" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">
          {culprits[fault.blame]} kept it from being judged <span className="font-mono text-xs">{fault.code}</span>
        </p>
        {!reason.includes(fault.message) && <p className="whitespace-pre-wrap">{fault.message}</p>}
        <p>
          <span className="font-medium">What to do: </span>
          {fault.hint}
        </p>
      </div>
    </section>
  );
}
