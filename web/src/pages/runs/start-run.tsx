import { FlaskConical, Play } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { useLoadedState } from '../../kit/use-loaded-state.ts';

/** The dialog, loaded when it opens. */
export const StartRunDialog = lazy(async () => ({
  default: (await import('./start-run-dialog.tsx')).StartRunDialog,
}));

interface StartRunButtonProps {
  readonly label?: string;
  /** Distinguishes it from other buttons with the same label. */
  readonly subject?: string;
  /** Fields that are not shown. */
  readonly fixed?: StartRun;
  /** For a row of a list. */
  readonly isSmall?: boolean;
}

/** A button that opens the dialog for a new run. */
export function StartRunButton({ label = 'New run', subject, fixed = {}, isSmall = false }: StartRunButtonProps) {
  const [isOpen, setIsOpen] = useLoadedState(false);
  return (
    <>
      <GuardedButton
        needs="run"
        {...(isSmall ? { size: 'sm' } : { variant: 'primary' })}
        icon={<Play size={14} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        {label}
        {subject !== undefined && <span className="sr-only"> {subject}</span>}
      </GuardedButton>
      <Suspense>
        {isOpen && (
          <StartRunDialog
            title={subject === undefined ? label : `Run ${subject}`}
            fixed={fixed}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

const StartExperimentDialog = lazy(async () => ({
  default: (await import('./start-experiment-dialog.tsx')).StartExperimentDialog,
}));

/** A button that opens the form of a new experiment. */
export function StartExperimentButton() {
  const [isOpen, setIsOpen] = useLoadedState(false);
  return (
    <>
      <GuardedButton needs="run" icon={<FlaskConical size={14} aria-hidden />} onClick={() => setIsOpen(true)}>
        New experiment
      </GuardedButton>
      <Suspense>{isOpen && <StartExperimentDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
