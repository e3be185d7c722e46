import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { petStatuses, type Order, type Pet, type PetstoreClient } from '../../../../client/src/index.ts';
import { useCategoryNames } from '../categories/use-category-names.ts';
import type { Till } from '../till.ts';
import { shortNameOf } from '../changes/words.ts';
import { draftOf, labelOf, petOf, readChanges } from '../draft.ts';
import { PetForm } from '../pet-form.tsx';
import { language } from '../day.ts';
import { keepTyped } from '../session.ts';
import { Barcode } from './barcode.tsx';

export interface PetDetailsProps {
  pet: Pet;
  till: Till;
  /** True if the person asked to type. */
  isEditing: boolean;
  /** True if it lies above all else. */
  isModal: boolean;
  onClose: () => void;
  /** Told in a modal, from which nobody reaches what is told elsewhere. */
  children: ComponentChildren;
}

/** The details of a pet, its actions and its orders: beside the list, or in a modal where there is no room. */
export function PetDetails({ pet, till, isEditing, isModal, ...props }: PetDetailsProps) {
  const { onClose, children } = props;
  const names = useCategoryNames();
  const box = useRef<HTMLDialogElement>(null);
  const Box = isModal ? 'dialog' : 'section';
  // The row behind a modal takes the focus only once that is closed.
  const close = () => (isModal ? box.current?.close() : onClose());
  useLayoutEffect(() => {
    if (isModal) box.current?.showModal();
    const field = isEditing ? box.current?.querySelector<HTMLInputElement>('input') : undefined;
    field?.focus();
    if (field) field.setSelectionRange(field.value.length, field.value.length);
    else box.current?.querySelector<HTMLElement>('.close')?.focus();
  }, [isEditing, isModal]);
  const remove = () => {
    till.outbox.remove(pet);
    close();
  };
  return (
    <Box
      ref={box}
      class="details card"
      aria-labelledby="details-title"
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        keepTyped(pet.id, undefined);
        close();
      }}
    >
      <header>
        <h2 id="details-title" tabIndex={0}>
          {pet.name.trim() === '' ? <em>No name</em> : <bdi>{pet.name}</bdi>}
        </h2>
        <button type="button" class="plain small close" aria-label="Close details" onClick={close}>
          Close
        </button>
      </header>
      <p class="facts">
        <span class="on-screen">{labelOf(pet.status)}</span>
        <bdi>{names.nameOf(pet.categoryId) ?? `Category ${pet.categoryId}`}</bdi>
        <span>Id {pet.id.toString()}</span>
      </p>
      <Barcode id={pet.id} />
      {till.canChange && (
        <>
          <div class="statuses" role="group" aria-label="Status">
            {[...petStatuses, undefined].map((status) => (
              <button
                type="button"
                key={status ?? 'none'}
                class="plain small"
                aria-pressed={pet.status === status}
                onClick={() => till.outbox.setStatus(pet, status)}
              >
                {labelOf(status)}
              </button>
            ))}
          </div>
          <button
            type="button"
            class={pet.status === 'sold' ? 'plain' : 'primary'}
            onClick={() => till.outbox.setStatus(pet, pet.status === 'sold' ? 'available' : 'sold')}
          >
            {pet.status === 'sold' ? 'Return' : 'Sell'}
          </button>
          <PetForm
            id={pet.id}
            label={`Edit ${shortNameOf(pet)}`}
            start={draftOf(pet)}
            categories={till.categories}
            check={(typed) => readChanges(petOf(pet.id, typed.base), typed.draft).errors}
            save={(typed) => {
              till.outbox.save(pet.id, typed);
              close();
            }}
          />
        </>
      )}
      <PetOrders client={till.client} pet={pet} />
      <div class="edit-buttons">
        <button type="button" class="plain small" onClick={() => print()}>
          Print label
        </button>
        {till.mayDelete && (
          <button type="button" class="plain small danger" onClick={remove}>
            Remove
          </button>
        )}
      </div>
      {isModal && children}
    </Box>
  );
}

/** The latest orders of one pet. */
function PetOrders({ client, pet }: { client: PetstoreClient; pet: Pet }) {
  const [orders, setOrders] = useState<readonly Order[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    client
      .listOrders({ petId: pet.id, sort: 'newest', limit: 5, signal: stop.signal })
      .then((page) => setOrders(page.orders))
      // The list already says that the service is away.
      .catch(() => {});
    return () => stop.abort();
  }, [client, pet.id, pet.status]);
  if (orders.length === 0) return null;
  return (
    <div class="pet-orders help">
      {orders.map((order) => (
        <p key={order.id.toString()}>{tellOrder(order)}</p>
      ))}
    </div>
  );
}

function tellOrder({ status, createdAt, createdBy, returnedAt, returnedBy }: Order): string {
  const whoAndWhen = (by: string | undefined, at: Date) =>
    `${by === undefined ? '' : `by ${by}, `}${at.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' })}`;
  const returned = returnedAt ? `; returned ${whoAndWhen(returnedBy, returnedAt)}` : '';
  return `${labelOf(status)} ${whoAndWhen(createdBy, createdAt)}${returned}`;
}
