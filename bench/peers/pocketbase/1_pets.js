/** Makes the collection, a user who may do everything, as an API key may, and the pets. PocketBase runs it at its first start. */
migrate((db) => {
  const dao = new Dao(db);
  const signedIn = '@request.auth.id != ""';
  const pets = {
    name: 'pets',
    type: 'base',
    schema: [
      { name: 'name', type: 'text', required: true },
      { name: 'categoryId', type: 'number', options: { noDecimal: true } },
      { name: 'status', type: 'select', options: { maxSelect: 1, values: ['available', 'pending', 'sold'] } },
    ],
    indexes: ['CREATE INDEX pets_by_status ON pets (status, id)'],
    listRule: signedIn,
    viewRule: signedIn,
    createRule: signedIn,
  };
  dao.saveCollection(new Collection(pets));
  const user = new Record(dao.findCollectionByNameOrId('users'));
  user.setUsername('bench');
  user.setPassword('password-of-the-bench');
  dao.saveRecord(user);
});
