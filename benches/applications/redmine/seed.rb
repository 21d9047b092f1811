# Three projects of the manual, the same each time but for their dates, which end today as those of a tracker in use do.
require 'json'

TEXTS = File.readlines(ENV['TEXTS']).map { |line| JSON.parse(line) }
SECTIONS = TEXTS.flat_map { |doc| doc['sections'].map { |section| [doc, section] } }
TODAY = Date.today.to_time.to_i

def told(number)
  doc, section = SECTIONS[number * 17 % SECTIONS.size]
  [doc, section['heading'], section['paragraphs'].first(3).join("\n\n")[0, 1800]]
end

def dated(record, days)
  moment = Time.at(TODAY - days * 86_400 + record.id * 61 % 40_000)
  values = %w[created_on updated_on].select { |name| record.has_attribute?(name) }.to_h { |name| [name, moment] }
  record.update_columns(values) unless values.empty?
end

Setting.host_name = '127.0.0.1'
Setting.default_language = 'en'
Setting.autofetch_changesets = '0'
Setting.notified_events = []
Setting.enabled_scm = ['Git']
Setting.issue_group_assignment = '0'
Role.anonymous.update!(permissions: Role.anonymous.permissions | %i[view_issues view_wiki_pages view_wiki_edits view_changesets
  browse_repository view_messages view_news view_calendar view_gantt view_time_entries view_documents view_files])
ActionMailer::Base.perform_deliveries = false

people = %w[Ada Bela Carla Dmitri Edith Femi].map.with_index do |name, number|
  user = User.new(firstname: name, lastname: %w[Lind Farkas Rossi Orlov Baker Ojo][number], mail: "#{name.downcase}@example.org", language: 'en')
  user.login = name.downcase
  user.password = user.password_confirmation = 'fixed-password'
  user.save!
  user
end

made = 0
%w[guide reference faq].each_with_index do |name, place|
  project = Project.create!(name: "Manual #{name}", identifier: name, description: told(place)[2], is_public: true,
                            enabled_module_names: %w[issue_tracking time_tracking news wiki boards repository calendar gantt])
  project.trackers = Tracker.all
  people.each { |user| Member.create!(project: project, principal: user, roles: [Role.givable.first]) }
  versions = (1..3).map { |n| Version.create!(project: project, name: "0.#{n}", due_date: Date.today + 20 * n - 30, description: told(n)[1]) }
  categories = %w[Text Links Examples].map { |label| IssueCategory.create!(project: project, name: label) }
  User.current = people[place]
  issues = (0...[100, 60, 40][place]).map do |number|
    made += 1
    doc, heading, text = told(made)
    issue = Issue.new(project: project, tracker: Tracker.all[number % 3], author: people[number % 6], subject: "#{doc['name']}: #{heading}"[0, 200],
                      description: text, priority: IssuePriority.all[number % 4], status: IssueStatus.all[number % 5],
                      category: categories[number % 3], fixed_version: (versions[number % 3] if number.odd?),
                      assigned_to: (people[(number + 2) % 6] if number % 4 != 0), start_date: Date.today - number % 60)
    issue.done_ratio = number % 11 * 10
    issue.save!(validate: false)
    (number % 4).times do |turn|
      journal = Journal.create!(journalized: issue, user: people[(number + turn) % 6], notes: told(made + 300 + turn)[2][0, 500])
      dated(journal, 90 - number % 90)
    end
    TimeEntry.create!(project: project, issue: issue, user: people[number % 6], author: people[number % 6], hours: 1 + number % 7,
                      spent_on: Date.today - number % 50, activity: TimeEntryActivity.first, comments: heading[0, 100]) if number % 5 == 0
    dated(issue, 90 - number % 90)
    issue
  end
  issues.each_slice(9) { |first, *rest| IssueRelation.create!(issue_from: first, issue_to: rest.last, relation_type: 'relates') if rest.any? }
  wiki = project.wiki || Wiki.create!(project: project, start_page: 'Wiki')
  TEXTS[place * 8, 8].each_with_index do |doc, number|
    page = WikiPage.new(wiki: wiki, title: number.zero? ? 'Wiki' : doc['name'].capitalize)
    (1 + number % 3).times do |turn|
      text = "h1. #{doc['title']}\n\n" + doc['sections'].first(2 + turn).map { |one| "h2. #{one['heading']}\n\n#{one['paragraphs'].first(4).join("\n\n")[0, 2500]}" }.join("\n\n")
      text += "\n\nSee [[#{TEXTS[place * 8 + (number + 1) % 7 + 1]['name'].capitalize}]]."
      content = page.content || WikiContent.new(page: page)
      content.assign_attributes(text: text, author: people[turn], comments: 'more')
      page.save_with_content(content)
    end
  end
  board = Board.create!(project: project, name: 'Questions', description: 'About the manual')
  8.times do |number|
    doc, heading, text = told(made + 500 + number)
    topic = Message.create!(board: board, author: people[number % 6], subject: heading[0, 120], content: text)
    (number % 5).times { |turn| Message.create!(board: board, parent: topic, author: people[turn], subject: "RE: #{heading[0, 110]}", content: told(number * 9 + turn)[2][0, 600]) }
    dated(topic, 30 - number)
  end
  5.times { |number| dated(News.create!(project: project, author: people[number], title: told(number + 40)[1][0, 60], summary: told(number)[1], description: told(number + 40)[2]), 40 - number * 5) }
  next unless place.zero?
  repository = Repository::Git.create!(project: project, url: ENV['REPOSITORY'], is_default: true)
  repository.fetch_changesets
end
