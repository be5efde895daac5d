import { Check, Undo2, X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReviewItem } from '../../../../src/entry/server/api/review.ts';
import { usePageKeys } from '../../app/keys.ts';
import { useRefusal } from '../../data/access.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextArea } from '../../kit/field.tsx';
import type { Labelling } from './labelling.ts';

interface LabelFormProps {
  readonly item: ReviewItem;
  readonly labelling: Labelling;
}

/** Pass, fail, a note, and back; each by a key too. */
export function LabelForm({ item, labelling }: LabelFormProps) {
  const { label, undo, move } = labelling;
  const refusal = useRefusal('review');
  const [note, setNote] = useState(item.note ?? '');
  const noteBox = useRef<HTMLTextAreaElement>(null);
  const pass = (): void => label('pass', note);
  const fail = (): void => label('fail', note);
  const toPrevious = (): void => move(-1);
  const toNext = (): void => move(1);
  usePageKeys({
    ...(refusal === undefined && {
      p: pass,
      f: fail,
      u: undo,
      n(event: KeyboardEvent) {
        event.preventDefault();
        noteBox.current?.focus();
      },
    }),
    ArrowLeft: toPrevious,
    ArrowRight: toNext,
  });
  const noteLabel = (
    <>
      Note <Key name="n" />
    </>
  );
  return (
    <fieldset disabled={refusal !== undefined} className="flex min-w-0 flex-col gap-4">
      {refusal !== undefined && <p className="text-muted">{refusal}.</p>}
      <LabelButtons item={item} labelling={labelling} onPass={pass} onFail={fail} />
      <Field label={noteLabel} hint="Why, for later readers; saved with the label">
        <TextArea
          ref={noteBox}
          maxLength={5_000}
          value={note}
          onChange={setNote}
          onBlur={() => item.label !== null && note !== (item.note ?? '') && label(item.label, note)}
          onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        />
      </Field>
    </fieldset>
  );
}

interface LabelButtonsProps extends LabelFormProps {
  readonly onPass: () => void;
  readonly onFail: () => void;
}

function LabelButtons({ item, labelling, onPass, onFail }: LabelButtonsProps) {
  return (
    <div className="sticky bottom-0 z-10 flex flex-wrap gap-2 bg-surface py-1">
      <Button
        icon={<Check size={15} aria-hidden className="text-pass" />}
        aria-pressed={item.label === 'pass'}
        aria-keyshortcuts="p"
        onClick={onPass}
      >
        Pass <Key name="p" />
      </Button>
      <Button
        icon={<X size={15} aria-hidden className="text-fail" />}
        aria-pressed={item.label === 'fail'}
        aria-keyshortcuts="f"
        onClick={onFail}
      >
        Fail <Key name="f" />
      </Button>
      <Button
        variant="ghost"
        icon={<Undo2 size={15} aria-hidden />}
        disabled={!labelling.canUndo}
        aria-keyshortcuts="u"
        onClick={labelling.undo}
      >
        Undo <Key name="u" />
      </Button>
    </div>
  );
}

function Key({ name }: { name: string }) {
  return (
    <kbd aria-hidden className="rounded border border-line bg-raised px-1 font-mono text-2xs text-muted">
      {name}
    </kbd>
  );
}
