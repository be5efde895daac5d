import { Play } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { StartRun } from '../../../src/entry/server/api/runs.ts';
import { Button } from '../kit/button.tsx';

const StartRunDialog = lazy(async () => ({ default: (await import('./start-run-dialog.tsx')).StartRunDialog }));

/** A button that asks what to run, and runs it; what is fixed is not asked. */
export function StartRunButton({ label = 'New run', fixed = {} }: { label?: string; fixed?: StartRun }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<Play size={14} aria-hidden />} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <Suspense>{isOpen && <StartRunDialog fixed={fixed} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
