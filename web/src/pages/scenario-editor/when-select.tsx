import type { DocumentChange, Path } from '../../documents/document-change.ts';
import { Select } from '../../kit/field.tsx';

const times = [
  { value: '', label: 'as usual for this assertion' },
  { value: 'every-turn', label: 'every turn', hint: 'the first breach ends the conversation' },
  { value: 'eventually', label: 'eventually', hint: 'some answer must do' },
  { value: 'final', label: 'at the end' },
];

/** When in a conversation an assertion must hold. */
export function WhenSelect({
  value,
  label,
  path,
  onChange,
}: {
  value: unknown;
  label: string;
  path: Path;
  onChange: (change: DocumentChange) => void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-sm font-medium">Must hold</span>
      <Select
        label={`When ${label} must hold`}
        options={times}
        value={typeof value === 'string' ? value : ''}
        onChange={(chosen) => onChange(chosen === '' ? { kind: 'remove', path } : { kind: 'set', path, value: chosen })}
      />
    </div>
  );
}
