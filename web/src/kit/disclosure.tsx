import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

/** Something that can be folded; what is folded from the start is not drawn before it is opened. */
export function Disclosure({
  summary,
  children,
  isOpen: isOpenAtFirst = false,
}: {
  summary: ReactNode;
  children: ReactNode;
  isOpen?: boolean;
}) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const [wasOpened, setWasOpened] = useState(isOpenAtFirst);
  return (
    <details
      open={isOpen}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
        if (event.currentTarget.open) setWasOpened(true);
      }}
      className="group min-w-0"
    >
      <summary className="flex list-none items-center gap-1.5 rounded py-0.5 select-none hover:text-accent [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="shrink-0 text-muted transition-transform group-open:rotate-90" />
        <span className="min-w-0 flex-1">{summary}</span>
      </summary>
      {wasOpened && <div className="pt-1.5 pl-5">{children}</div>}
    </details>
  );
}
