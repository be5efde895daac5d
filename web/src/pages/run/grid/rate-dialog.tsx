import { useState } from 'react';
import { trialTitle } from '../../../../../src/report/presentation/trial-text.ts';
import { useRefusal } from '../../../data/access.ts';
import { writeLabel } from '../../../data/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field, Select, TextArea, TextInput } from '../../../kit/field.tsx';
import { ErrorView } from '../../../kit/page.tsx';
import { useChange } from '../../../kit/use-change.ts';
import type { GridLine } from './grid-columns.ts';

interface RateDialogProps {
  readonly line: GridLine;
  readonly rater: string;
  readonly onRater: (rater: string) => void;
  readonly onClose: () => void;
}

/** Rates a trial and comments on it: a label as the review page has them, marked as given beside the verdict. */
export function RateDialog({ line: { row, arm }, rater, onRater, onClose }: RateDialogProps) {
  const refusal = useRefusal('review');
  const [trialId, setTrialId] = useState(arm.trialId);
  const trial = arm.trials.find((each) => each.trialId === trialId);
  const [name, setName] = useState(rater);
  const [note, setNote] = useState(trial?.note ?? '');
  const saving = useChange({
    send: (label: 'pass' | 'fail' | null) =>
      writeLabel({ trialId, label, rater: name.trim(), note: note.trim(), sawVerdict: true }),
    stale: [['run']],
    isRefusalShown: true,
    onDone() {
      onRater(name.trim());
      onClose();
    },
  });
  const choose = (chosen: string): void => {
    setTrialId(chosen);
    setNote(arm.trials.find((each) => each.trialId === chosen)?.note ?? '');
  };
  const isDisabled = refusal !== undefined || name.trim() === '' || saving.isPending;
  const actions = (
    <RatingButtons label={trial?.label ?? null} isDisabled={isDisabled} onRate={(label) => saving.mutate(label)} />
  );
  return (
    <Dialog
      title={`Rate ${trialTitle({ ...row, variant: arm.variant, repeat: 1 })}`}
      isOpen
      onClose={onClose}
      actions={actions}
    >
      {refusal !== undefined && <p className="text-muted">{refusal}.</p>}
      {arm.trials.length > 1 && (
        <Select
          label="Trial"
          options={arm.trials.map((each) => ({
            value: each.trialId,
            label: `Repeat ${each.repeat}: ${each.outcome}`,
          }))}
          value={trialId}
          onChange={choose}
        />
      )}
      <RatingFields name={name} onName={setName} note={note} onNote={setNote} />
      <p className="text-xs text-muted">
        You see the verdict here, so this rating does not count in the agreement with judges. The review page hides
        verdicts.
      </p>
      {saving.error && <ErrorView error={saving.error} />}
    </Dialog>
  );
}

interface RatingFieldsProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
}

function RatingFields({ name, onName, note, onNote }: RatingFieldsProps) {
  return (
    <>
      <Field label="Rater" isRequired hint="Ratings are kept by name">
        <TextInput value={name} maxLength={100} onChange={onName} />
      </Field>
      <Field label="Comment" hint="Kept with the rating in assay.labels.jsonl">
        <TextArea value={note} maxLength={5_000} onChange={onNote} />
      </Field>
    </>
  );
}

interface RatingButtonsProps {
  readonly label: 'pass' | 'fail' | null;
  readonly isDisabled: boolean;
  readonly onRate: (label: 'pass' | 'fail' | null) => void;
}

function RatingButtons({ label, isDisabled, onRate }: RatingButtonsProps) {
  return (
    <>
      {label !== null && (
        <Button variant="ghost" disabled={isDisabled} onClick={() => onRate(null)}>
          Remove rating
        </Button>
      )}
      <Button disabled={isDisabled} aria-pressed={label === 'fail'} onClick={() => onRate('fail')}>
        Rate as fail
      </Button>
      <Button disabled={isDisabled} aria-pressed={label === 'pass'} onClick={() => onRate('pass')}>
        Rate as pass
      </Button>
    </>
  );
}
