import { Popover } from '@base-ui/react/popover';
import { Plus } from 'lucide-react';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import type { EvaluatorType } from '../../../../src/entry/server/api/project.ts';
import { buttonLook } from '../../kit/button.tsx';
import { TextInput } from '../../kit/field.tsx';
import { popupLook } from '../../kit/popup-look.ts';

interface EvaluatorMenuProps {
  readonly types: readonly EvaluatorType[];
  readonly onAdd: (type: EvaluatorType) => void;
}

/** A button that opens the menu of evaluators. */
export function AddEvaluator({
  types,
  title,
  onAdd,
  ref,
}: EvaluatorMenuProps & { title: string; ref?: Ref<HTMLButtonElement> }) {
  const [isOpen, setIsOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const add = (type: EvaluatorType): void => {
    setIsOpen(false);
    onAdd(type);
  };
  const label = title === 'Gates' ? 'Add gate' : 'Add evaluator';
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger ref={ref} className={buttonLook('secondary', 'sm')}>
        <Plus size={13} aria-hidden />
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-50">
          <Popover.Popup
            aria-label={label}
            onKeyDown={(event) => moveFocus(event, list.current)}
            // The added item takes the focus, which would return to the button otherwise.
            finalFocus={false}
            className={`${popupLook} flex max-h-[min(32rem,var(--available-height))] w-[min(26rem,calc(100vw-2rem))] flex-col`}
          >
            <EvaluatorMenu types={types} onAdd={add} list={list} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

const groups = [
  { kind: 'assertion', title: 'Assertions (can cause failure)' },
  { kind: 'metric', title: 'Metrics (tracked only)' },
] as const;

/** The evaluators that can be added: what can fail a trial and what is only tracked, with a line about each. */
function EvaluatorMenu({ types, onAdd, list }: EvaluatorMenuProps & { list: Ref<HTMLDivElement> }) {
  const [text, setText] = useState('');
  const found = types.filter((type) => isFound(type, text));
  return (
    <>
      <TextInput
        aria-label="Filter evaluators"
        placeholder="Filter …"
        className="shrink-0"
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          // The field may be ahead of the list: someone who types fast presses Enter before it is drawn again.
          const typed = event.currentTarget.value;
          const first = types.find((type) => isFound(type, typed));
          if (event.key === 'Enter' && first !== undefined && typed !== '') onAdd(first);
        }}
      />
      <div ref={list} className="mt-1 min-h-0 overflow-y-auto">
        {groups.map((group) => (
          <EvaluatorGroup
            key={group.kind}
            title={group.title}
            types={found.filter(({ kind }) => kind === group.kind)}
            onAdd={onAdd}
          />
        ))}
        {found.length === 0 && <p className="p-2 text-sm text-muted">No evaluator matches.</p>}
      </div>
    </>
  );
}

function EvaluatorGroup({
  title,
  types,
  onAdd,
}: {
  title: string;
  types: readonly EvaluatorType[];
  onAdd: (type: EvaluatorType) => void;
}) {
  if (types.length === 0) return null;
  return (
    <section aria-label={title} className="not-first:mt-1 not-first:border-t not-first:border-line not-first:pt-1">
      <h3 className="px-2 py-1 text-xs font-medium text-muted">{title}</h3>
      <ul>
        {types.map((type) => (
          <li key={type.type}>
            <button
              type="button"
              data-choice
              onClick={() => onAdd(type)}
              className="flex w-full flex-col rounded px-2 py-1.5 text-left text-sm hover:bg-raised focus-visible:bg-raised focus-visible:outline-2 focus-visible:-outline-offset-2"
            >
              <span>
                {type.label} <code className="font-mono text-xs text-muted">{type.type}</code>
              </span>
              <span className="text-xs text-muted">{type.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isFound({ type, label, description }: EvaluatorType, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const all = `${type} ${label} ${description}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const choices = [...(list?.querySelectorAll<HTMLElement>('[data-choice]') ?? [])];
  const current = choices.indexOf(document.activeElement as HTMLElement);
  const next = choices[current + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
