import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isUnauthorized, type Order, type Pet, type PetstoreClient } from '../../../client/src/index.ts';
import type { Changes } from '../changes/pet-actions.ts';
import { shortNameOf } from '../changes/words.ts';
import { tellProblem } from '../connect.ts';
import { labelOf } from '../draft.ts';

export interface SalesProps {
  client: PetstoreClient;
  petId: bigint | undefined;
  changes: Changes | undefined;
  onShowPet: (id: bigint) => void;
  onRefused: () => void;
  /** Told beside the sales. */
  children: ComponentChildren;
}

/** The orders, newest first, by day. They are read again by hand only, so that none moves under a pointer. */
export function Sales({ client, petId, changes, onShowPet, onRefused, children }: SalesProps) {
  const [orders, setOrders] = useState<readonly Order[]>();
  const [next, setNext] = useState<string>();
  const [pets, setPets] = useState<ReadonlyMap<bigint, Pet>>(new Map());
  const [error, setError] = useState<unknown>();

  /** Looks the pets of these orders up. A removed pet has none. */
  const lookUp = async (found: readonly Order[]) => {
    const ids = [...new Set(found.map((order) => order.petId))];
    const pages = await Promise.all(ids.map((id) => client.searchPetsPage({ id })));
    const read = pages.flatMap((page) => page.pets).map((pet): [bigint, Pet] => [pet.id, pet]);
    setPets((before) => new Map([...[...before].filter(([id]) => !ids.includes(id)), ...read]));
  };
  const load = async (from?: string) => {
    const first = { petId, sort: 'newest', limit: 25 } as const;
    const page = await client.listOrders(from === undefined ? first : { next: from });
    await lookUp(page.orders);
    setOrders((before = []) => (from === undefined ? page.orders : [...before, ...page.orders]));
    setNext(page.next);
  };
  const attempt = (work: Promise<void>) => {
    work.then(
      () => setError(undefined),
      (reason: unknown) => (isUnauthorized(reason) ? onRefused() : setError(reason)),
    );
  };
  useEffect(() => attempt(load()), [client, petId]);
  const isTold = ({ petId: id }: Order) => changes?.notes.list.some((note) => note.petId === id);
  useEffect(() => attempt(lookUp(orders?.filter(isTold) ?? [])), [changes?.count]);

  const dayOf = ({ createdAt }: Order) => createdAt.toLocaleDateString(undefined, { dateStyle: 'full' });
  const days = [...new Set(orders?.map(dayOf))];
  // Only the latest order of a pet tells how it is now.
  const canTakeBack = (order: Order) =>
    pets.get(order.petId)?.status === order.status &&
    orders?.find(({ petId: id }) => id === order.petId) === order;
  return (
    <>
      <section class="sales" aria-label="Sales">
        <div class="heading">
          <h1>Sales</h1>
          <button type="button" class="plain small" onClick={() => attempt(load())}>
            Reload
          </button>
        </div>
        {petId !== undefined && (
          <p>
            Sales of pet {petId.toString()}. <a href="#/sales">Show all sales</a>
          </p>
        )}
        {error !== undefined && (
          <p class="notice" role="alert">
            {tellProblem(error)}
          </p>
        )}
        {orders?.length === 0 && <p class="state">No sales yet</p>}
        {days.map((day) => (
          <section key={day} class="day" aria-label={day}>
            <h2>{day}</h2>
            <ul class="rows">
              {orders
                ?.filter((order) => dayOf(order) === day)
                .map((order) => (
                  <SalesRow
                    key={order.id.toString()}
                    order={order}
                    pet={pets.get(order.petId)}
                    changes={canTakeBack(order) ? changes : undefined}
                    onShowPet={onShowPet}
                  />
                ))}
            </ul>
          </section>
        ))}
        {next !== undefined && (
          <button type="button" class="plain" onClick={() => attempt(load(next))}>
            Show older sales
          </button>
        )}
      </section>
      <div class="beside">{children}</div>
    </>
  );
}

interface SalesRowProps extends Pick<SalesProps, 'changes' | 'onShowPet'> {
  order: Order;
  pet: Pet | undefined;
}

function SalesRow({ order, pet, changes, onShowPet }: SalesRowProps) {
  const { petId, status, createdAt, createdBy } = order;
  return (
    <li class="row sale">
      <time dateTime={createdAt.toISOString()}>
        {createdAt.toLocaleTimeString(undefined, { timeStyle: 'short' })}
      </time>
      <button type="button" class="link name" disabled={!pet} onClick={() => onShowPet(petId)}>
        <bdi>{pet ? shortNameOf(pet) : `Pet ${petId}, removed`}</bdi>
      </button>
      <span class="status-cell">
        <span class={`status ${status}`}>{labelOf(status)}</span>
      </span>
      <span class="by">{createdBy}</span>
      <span class="actions">
        {changes && pet && (
          <button
            type="button"
            class="plain small"
            aria-label={`Take back ${shortNameOf(pet)}`}
            onClick={() => void changes.actions.setStatus(pet, 'available')}
          >
            Take back
          </button>
        )}
      </span>
    </li>
  );
}
